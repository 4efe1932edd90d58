const plain = "x".repeat(1024);

function answer(r) {
    if (r.method === "GET" || r.method === "HEAD") {
        r.headersOut["Content-Type"] = "text/plain; charset=UTF-8";
        r.return(200, r.args.t === undefined ? plain : r.args.t);
        return;
    }
    r.headersOut["Content-Type"] = "application/octet-stream";
    const body = r.requestBuffer;
    // An empty buffer would be an error.
    r.return(200, body !== undefined && body.length > 0 ? body : "");
}

export default { answer };
