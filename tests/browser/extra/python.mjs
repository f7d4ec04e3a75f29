// A worker for tests, under the policy of the page: the client's own Python and platform, and a test's module.
//
// From the page: {runtime, platform, binary, library, lock, archives, module, given}; all but `given` count in the
// first message only.
// To the page: {result} or {error}, a text.

let ready = null;

async function start({ runtime, platform, binary, library, lock, archives, module }) {
  const { loadPyodide } = await import(runtime);
  const offered = await import(platform);
  const pyodide = await loadPyodide({ indexURL: new URL("./", binary).href, stdLibURL: library, lockFileURL: lock });
  const { path } = pyodide.pyimport("sys");
  for (const [name, address] of Object.entries(archives)) {
    const bytes = await (await fetch(address)).arrayBuffer();
    pyodide.FS.writeFile(`/${name}`, new Uint8Array(bytes));
    path.insert(0, `/${name}`);
  }
  // Of ours the page has only what it imports itself; a test's archive holds the rest.
  pyodide.runPython(`
import shared, shared.election
for package in (shared, shared.election):
    package.__path__ += [f"/{archive}/{package.__name__.replace('.', '/')}" for archive in ${JSON.stringify(Object.keys(archives))}]
`);
  pyodide.registerJsModule("roomful_platform", offered.platform);
  return pyodide.pyimport(module).main;
}

self.addEventListener("message", async ({ data }) => {
  try {
    ready ??= start(data);
    const main = await ready;
    self.postMessage({ result: await main(data.given) });
  } catch (error) {
    self.postMessage({ error: String(error.message ?? error) });
  }
});
