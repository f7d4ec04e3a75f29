// What stands beside the modules of the page only after the build, and SurveyJS, which is a script and no module.

declare module "*/runtime.mjs" {
  export const sizes: Record<string, number>;
  export const lock: string;
  export const fieldsOf: Record<string, readonly string[]>;
}

declare module "*/qr.mjs" {
  export { default as encodeQR } from "qr";
  export { default as decodeQR } from "qr/decode.js";
}

declare module "*/hpke.mjs" {
  export const seal: (name: string, publicKey: Uint8Array, info: Uint8Array, plaintext: Uint8Array) => Promise<Uint8Array | null>;
}

declare module "*/hpke-x-wing.mjs" {
  export { seal } from "*/hpke.mjs";
}

declare const Survey: typeof import("survey-core");
declare const SurveyUI: typeof import("survey-js-ui");
