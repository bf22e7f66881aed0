// What the runtime of Go needs of a system: clocks, random numbers, and a place for its last words.

const SUCCESS = 0, BAD_FILE = 8;

// An Exit is thrown where Go ends its program.
export class Exit extends Error {}

// wasi returns what a module of Go imports. memory returns the memory of its instance, and say gets what Go
// prints, in parts: it prints only what ends it.
export function wasi(module, memory, say) {
  const view = () => new DataView(memory().buffer);
  const none = (count, size) => { // an empty list of strings
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return SUCCESS;
  };
  const nothing = () => SUCCESS;
  const noFile = () => BAD_FILE;
  const system = {
    args_sizes_get: none,
    args_get: nothing,
    environ_sizes_get: none,
    environ_get: nothing,
    clock_time_get(clock, precision, at) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, size) {
      crypto.getRandomValues(new Uint8Array(memory().buffer, at, size));
      return SUCCESS;
    },
    sched_yield: nothing,
    poll_oneoff(subscriptions, events, count, happened) { // nothing is waited for
      new Uint8Array(memory().buffer, events, 32 * count).fill(0);
      view().setUint32(happened, count, true);
      return SUCCESS;
    },
    fd_write(file, parts, count, written) {
      let size = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(parts + 8 * i, true), length = view().getUint32(parts + 8 * i + 4, true);
        say(new TextDecoder().decode(new Uint8Array(memory().buffer, at, length)));
        size += length;
      }
      view().setUint32(written, size, true);
      return SUCCESS;
    },
    proc_exit(code) {
      throw new Exit(`Go ended with ${code}`);
    },
  };
  const functions = WebAssembly.Module.imports(module).map(({ name }) => {
    const answer = system[name] ?? noFile; // the others are about files
    return [name, (...values) => answer(...values.map((v) => typeof v === "number" ? v >>> 0 : v))]; // beyond 2 GiB, addresses come as negative
  });
  return { wasi_snapshot_preview1: Object.fromEntries(functions) };
}
