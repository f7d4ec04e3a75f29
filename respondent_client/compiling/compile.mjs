// Compiles the client's Python once, at build time, in the Python that will run it: Pyodide, started by Node.js.
//
//   node compile.mjs SOURCES FOLDER
//
// SOURCES is a zip of our modules, with a list of them for each part; FOLDER receives python_stdlib.zip, with those modules
// of the standard library that Pyodide and ours import, and a zip for each part. The work itself is done by compile.py.

import { readFile, writeFile } from "node:fs/promises";
import { loadPyodide } from "pyodide";

const [sources, folder] = process.argv.slice(2);
// Without a fixed seed the order of a set in compiled code would be another each time.
const pyodide = await loadPyodide({ env: { HOME: "/home", PYTHONHASHSEED: "0" } });
pyodide.FS.writeFile("/sources.zip", await readFile(sources));
pyodide.registerJsModule("roomful_platform", {}); // which the worker offers to ours
const program = await readFile(new URL("compile.py", import.meta.url), "utf8");
pyodide.runPython(program, { filename: "compile.py" });
for (const name of pyodide.FS.readdir("/").filter((name) => name.endsWith(".zip") && name !== "sources.zip")) {
  await writeFile(`${folder}/${name}`, pyodide.FS.readFile(`/${name}`));
}
