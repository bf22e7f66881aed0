// What the runtime of Go needs from a system: clocks, random numbers, and output for its message when it ends.

const SUCCESS = 0, BAD_FILE = 8;

// An Exit is thrown when the runtime of Go ends its program.
export class Exit extends Error {}

// wasi returns the functions that a module of Go imports. memory returns the memory of its instance. say is called with the parts of
// what Go prints; Go prints only when a fatal error ends it.
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
    poll_oneoff(subscriptions, events, count, happened) { // all events have happened: it never waits
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
    const answer = system[name] ?? noFile; // all other functions are about files
    return [name, (...values) => answer(...values.map((v) => typeof v === "number" ? v >>> 0 : v))]; // addresses above 2 GiB arrive as negative numbers
  });
  return { wasi_snapshot_preview1: Object.fromEntries(functions) };
}
