// Changes how much memory heed.wasm may have.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MEMORY = 5; // the number of the section

// number reads a number in LEB128.
function number(bytes, at) {
  let value = 0, shift = 0;
  for (;;) {
    const each = bytes[at++];
    value |= (each & 0x7f) << shift;
    shift += 7;
    if (each < 0x80) {
      return { value, at };
    }
  }
}

function encoded(value) {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...encoded(value >> 7)];
}

// withMemory returns heed.wasm with other limits of its memory, in pages of 64 KiB. Without least, the
// lower limit is that of the file.
export function withMemory({ least, most }) {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve("heed-robots/heed.wasm")));
  for (let at = 8; ;) {
    const section = at, { value: size, at: body } = number(bytes, at + 1);
    if (bytes[section] !== MEMORY) {
      at = body + size;
      continue;
    }
    const { value: usual } = number(bytes, body + 2); // after the number of memories, and the kind of limits
    const memory = [1, 1, ...encoded(least ?? usual), ...encoded(most)];
    return new WebAssembly.Module(Buffer.concat([bytes.subarray(0, section), Buffer.from([MEMORY, ...encoded(memory.length), ...memory]), bytes.subarray(body + size)]));
  }
}
