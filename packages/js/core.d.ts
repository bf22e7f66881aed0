/**
 * The library without heed.wasm: for scripts without top-level await, and for programs that load heed.wasm
 * in their own way. Only {@link compile} works before {@link start} or {@link startAsync} was called.
 */

export * from "./index.js";

/** Makes the library ready. `module` is the compiled heed.wasm. */
export function start(module: WebAssembly.Module): void;

/** {@link start} for the main thread of older browsers, which cannot make a large instance synchronously. */
export function startAsync(module: WebAssembly.Module): Promise<void>;

/** Loads heed.wasm with `fetch`, also from servers that send it with a wrong Content-Type. */
export function compile(url: URL | string): Promise<WebAssembly.Module>;
