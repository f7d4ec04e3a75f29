// Reading a QR code with the camera or from a picture. Everything stays on this device: the pixels are searched
// here, no frame is kept, and the camera is let go as soon as a code is read or its picture leaves the page.

import { h, replace } from "./dom.mjs";

const LARGEST_SIDE = 2400; // larger photographs are scaled down before they are searched
const SHRUNK = [1, 1.5, 2, 1.25, 3]; // noise and blur of a photograph are less in a smaller one
const PICTURE_MS = 2000; // time to search a picture of one size
const FRAME_MS = 40; // and one frame of the camera

/**
 * Offer camera and picture inside `element`; resolves with the text of the first code that `accept` takes, or
 * with null when she gives up or the page shows something else.
 *
 * @param {Element} element
 * @param {any} language
 * @param {{ accept?: (text: string) => boolean }} [options]
 */
export function scan(element, language, { accept = () => true } = {}) {
  return new Promise((resolve) => {
    let stream = null;
    let done = false;
    const note = h("p", { class: "hint", role: "status", "aria-live": "polite" }, language.t("scan.local"));
    const video = h("video", { class: "camera", playsinline: true, muted: true, hidden: true, "aria-label": language.t("scan.aim") });
    const file = h("input", { type: "file", accept: "image/*", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => picture(file.files[0]) });
    const camera = h("button", { type: "button", onclick: start }, language.t("scan.camera"));
    const choose = h("button", { type: "button", onclick: () => file.click() }, language.t("scan.picture"));
    const stop = h("button", { type: "button", onclick: () => finish(null) }, language.t("scan.stop"));

    function finish(text) {
      if (done) return;
      done = true;
      stream?.getTracks().forEach((track) => track.stop());
      video.srcObject = null;
      if (note.isConnected) replace(element);
      resolve(text);
    }

    function say(key) {
      note.textContent = language.t(key);
    }

    function take(text) {
      if (text === null) return false;
      if (!accept(text)) {
        say("scan.other");
        return false;
      }
      finish(text);
      return true;
    }

    async function picture(chosen) {
      file.value = "";
      if (!chosen) return;
      say("scan.searching");
      try {
        const text = await codeInPicture(chosen);
        if (text === null) say("scan.none");
        else take(text);
      } catch (error) {
        say(error instanceof TypeError ? "scan.lost" : "scan.no-picture"); // a module that did not arrive, or no picture
      }
    }

    async function start() {
      camera.disabled = true;
      try {
        stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: "environment" } });
      } catch (error) {
        say(error.name === "NotAllowedError" ? "scan.denied" : "scan.no-camera");
        camera.disabled = false;
        return;
      }
      if (!video.isConnected) finish(null);
      if (done) return stream.getTracks().forEach((track) => track.stop());
      try {
        const { decodeQR } = await import("./qr.mjs");
        if (!video.isConnected) finish(null);
        if (done) return stream.getTracks().forEach((track) => track.stop());
        video.srcObject = stream;
        video.hidden = false;
        say("scan.aim");
        await video.play();
        frames(decodeQR);
      } catch {
        stream.getTracks().forEach((track) => track.stop());
        video.hidden = true;
        if (!done) say("scan.lost");
      }
    }

    function frames(decodeQR) {
      const canvas = document.createElement("canvas");
      const look = () => {
        if (!video.isConnected) finish(null);
        if (done) return;
        if (video.readyState >= 2 && take(codeIn(decodeQR, pixels(canvas, video, video.videoWidth, video.videoHeight), FRAME_MS))) return;
        setTimeout(look, 100);
      };
      look();
    }

    replace(
      element,
      h("div", { class: "scanner" }, note, video, file, h("p", { class: "actions" }, navigator.mediaDevices?.getUserMedia ? camera : null, choose, stop)),
    );
    (navigator.mediaDevices?.getUserMedia ? camera : choose).focus();
  });
}

/** Text of the code in a picture's file, or null if there is none. */
export async function codeInPicture(file) {
  const [bitmap, { decodeQR }] = await Promise.all([createImageBitmap(file), import("./qr.mjs")]);
  try {
    const canvas = document.createElement("canvas");
    const whole = Math.min(1, LARGEST_SIDE / Math.max(bitmap.width, bitmap.height));
    for (const times of SHRUNK) {
      const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round((side * whole) / times)));
      const text = codeIn(decodeQR, pixels(canvas, bitmap, width, height), PICTURE_MS);
      if (text !== null) return text;
    }
    return null;
  } finally {
    bitmap.close();
  }
}

function pixels(canvas, source, width, height) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "#ffffff"; // behind a transparent picture
  context.fillRect(0, 0, width, height);
  context.drawImage(source, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

function codeIn(decodeQR, image, milliseconds) {
  try {
    return decodeQR(image, { effort: Infinity, timeLimit: milliseconds });
  } catch {
    return null; // no code in it
  }
}
