/**
 * The library before it has loaded heed.wasm: for scripts without top-level await, and for places where
 * heed.wasm comes in another way. Nothing but {@link compile} works before {@link start} or {@link startAsync}.
 */

export * from "./index.js";

/** Makes the library ready, with heed.wasm as a module. */
export function start(module: WebAssembly.Module): void;

/** {@link start} for the main thread of older browsers, which make no large instance at once. */
export function startAsync(module: WebAssembly.Module): Promise<void>;

/** Loads heed.wasm with `fetch`, also from servers that do not know its type. */
export function compile(url: URL | string): Promise<WebAssembly.Module>;
