// The search of the site runs in a worker, and browsers refuse workers to pages that are opened as files. There, this
// runs the script of the worker in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inner = frame.contentWindow
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inner.importScripts = () => { throw new Error("importScripts is not supported") }
      const script = this.inner.document.createElement("script")
      this.loaded = new Promise(done => script.addEventListener("load", done))
      script.src = url
      this.inner.document.body.append(script)
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })))
    }
  }
}
