// Compiles the Python of the browser with the very Python that runs there, so that no device has to:
//
//   node compile.mjs PYODIDE-FOLDER ROOMFUL.ZIP OUT-FOLDER
//
// Writes into OUT-FOLDER both zips anew: python_stdlib.zip and roomful.zip.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, ours, out] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")).href);
// A fixed seed: the order of sets must not show in what is written.
const env = { HOME: "/home/pyodide", PYTHONHASHSEED: "0" };
const pyodide = await loadPyodide({ indexURL: `${runtime}${path.sep}`, env });
pyodide.FS.writeFile("/roomful.zip", fs.readFileSync(ours));
pyodide.FS.writeFile("/python_stdlib.zip", fs.readFileSync(path.join(runtime, "python_stdlib.zip")));
pyodide.registerJsModule("roomful_platform", {});
pyodide.runPython(fs.readFileSync(new URL("./compile.py", import.meta.url), "utf-8"));
for (const name of ["python_stdlib.zip", "roomful.zip"]) {
  fs.writeFileSync(path.join(out, name), pyodide.FS.readFile(`/compiled/${name}`));
}
