"""Nothing is compiled on the device: in the build's own Pyodide, run by Node.js instead of a browser."""

from __future__ import annotations

import json
import subprocess

from respondent_client.build import ENTRANCES, LATER, NODE_MODULES, build

_START = """
const [library, built, entrances] = process.argv.slice(1);
const { readFileSync } = await import("node:fs");
const { loadPyodide } = await import(`${library}/pyodide.mjs`);
const names = JSON.parse(readFileSync(`${built}/manifest.json`));
const pyodide = await loadPyodide({ stdLibURL: `${built}/${names["python_stdlib.zip"]}` });
pyodide.registerJsModule("roomful_platform", {});
pyodide.runPython(`
import sys
compiled = []
sys.addaudithook(lambda event, given: compiled.append(str(given)) if event == "compile" else None)
sys.path.insert(0, "/roomful.zip")
`);
const compiled = pyodide.globals.get("compiled");
for (const [name, module] of Object.entries(JSON.parse(entrances))) {
  pyodide.FS.writeFile(`/${name}`, readFileSync(`${built}/${names[name]}`));
  pyodide.pyimport("respondent_client.browser.program").add(`/${name}`);
  pyodide.pyimport(module);
}
const imported = compiled.toJs();
pyodide.pyimport("dataclasses").make_dataclass("Unknown", ["x"]);
console.log(JSON.stringify({ imported, unknown: compiled.toJs().length - imported.length }));
"""


def test_the_device_compiles_neither_modules_nor_the_methods_of_dataclasses() -> None:
    entrances = json.dumps({"roomful.zip": ENTRANCES[-1], **LATER})
    given = (NODE_MODULES / "pyodide", build(progress=False), entrances)
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", _START, *given], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    said = json.loads(done.stdout)
    assert [text for text in said["imported"] if "lambda _cls" not in text] == [], "but for named tuples"
    assert said["unknown"] == 1, "which is found by the same means"
