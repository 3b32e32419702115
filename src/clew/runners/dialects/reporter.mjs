// A reporter for Node's own test runner: one line of JSON for each event that Clew reads.
// It runs in the project's Node, from version 18.17 on, and uses nothing but the language.

const MOST = 20_000;

const text = (value) => String(value ?? "").slice(0, MOST);

function told(error) {
  if (!error) return null;
  const cause = error.cause instanceof Object ? error.cause : {};
  return {
    type: text(cause.name ?? error.name),
    code: text(cause.code),
    message: text(cause.message ?? error.cause ?? error.message),
    stack: text(cause.stack),
    failure: text(error.failureType),
  };
}

export default async function* (source) {
  for await (const { type, data } of source) {
    if (!["test:start", "test:pass", "test:fail", "test:stdout", "test:stderr"].includes(type)) continue;
    yield JSON.stringify({
      kind: type.slice("test:".length),
      file: text(data.file),
      name: text(data.name),
      nesting: data.nesting ?? 0,
      line: data.line ?? 0,
      ms: data.details?.duration_ms ?? 0,
      suite: data.details?.type === "suite",
      muted: (data.skip !== undefined && data.skip !== false) || (data.todo !== undefined && data.todo !== false),
      error: told(data.details?.error),
      message: text(data.message),
    }) + "\n";
  }
}
