// Requests to the server. An error has one line that can be shown.

const LOST = "the server does not answer; is `sailplan serve` still running?";

async function answerOf(request) {
  let response;
  let contents;
  try {
    response = await request;
    contents = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(LOST);
  }
  if (!response.ok) throw new Error(contents.error ?? `the server answers ${response.status}`);
  return contents;
}

export function get(path, parameters = {}) {
  return answerOf(fetch(`${path}?${new URLSearchParams(parameters)}`));
}

export function post(path, contents, signal) {
  const headers = { "Content-Type": "application/json" };
  return answerOf(fetch(path, { method: "POST", headers, body: JSON.stringify(contents), signal }));
}

async function inBase64(file) {
  const address = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new Error(`${file.name}: cannot be read`));
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}

// Upload one map file, or the two files of a ROS map.
export async function upload(files, limit) {
  if (files.length > 2) throw new Error("give one map file, or the two files of a ROS map");
  const size = files.reduce((sum, file) => sum + file.size, 0);
  // In base64 three bytes become four.
  const most = Math.floor(limit * 0.74);
  if (size > most) throw new Error(`the files have ${size} bytes; the server reads at most ${most}`);
  const named = await Promise.all(files.map(async (file) => ({ name: file.name, data: await inBase64(file) })));
  return post("/api/map", { files: named });
}
