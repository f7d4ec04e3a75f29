// Bundled by build.py into static/: QR codes, read from pixels and drawn as squares. No WebAssembly, no network.

export { default as decodeQR } from "qr/decode.js";
export { default as encodeQR } from "qr";
