"""Parts of a log of 5.2 GB: `plainly serve` over HTTP beside `wc`, which counts the same lines, and beside a server that sends as
many bytes from memory. Prints medians, as Markdown.
usage: python3 large.py PATH_OF_PLAINLY [ROUNDS]
Needs 5.2 GB of disk in the directory for temporary files, and as much memory for the page cache.
"""

import http.client
import json
import multiprocessing
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

LINES = 100_000_000
LINE = b"2026-11-29T16:00:00Z INFO served a request in 12 ms\n"
BEGIN = 40_000_000
MIB = 1 << 20
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "large", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def serve_from_memory(listener):
    """Answers each request with as many bytes as 1 MiB of the log takes in JSON."""
    connection, _ = listener.accept()
    body = bytes(MIB + MIB // len(LINE))
    response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    while request := connection.recv(65_536):
        if request.endswith(b"}"):
            connection.sendall(response)


def post(connection, path, body, headers):
    """Sends a request, and returns the response and the milliseconds until its last byte."""
    begin = time.perf_counter()
    connection.request("POST", path, json.dumps(body), headers)
    response = connection.getresponse().read()
    return response, (time.perf_counter() - begin) * 1_000


class Server:
    def __init__(self, plainly, folder):
        command = [plainly, "serve", str(folder), "--http", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        url = next(found for line in self.process.stderr if (found := re.search(r"http://([^/\s]+)(/\S*)", line)))
        self.connection, self.path = http.client.HTTPConnection(url[1]), url[2]
        self.uri = f"file:///{folder.name}/large.log"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self, part):
        """Reads a part, and returns its text and the milliseconds until the last byte of the response."""
        uri = f"{self.uri}#{part}"
        body = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri, "_meta": META}}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "resources/read",
            "Mcp-Name": uri,
        }
        response, took = post(self.connection, self.path, body, headers)
        return json.loads(response)["result"]["contents"][0]["text"].encode(), took

    def memory(self, field):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1_024


def main():
    plainly, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    times = {}

    def row(name, took):
        times.setdefault(name, []).append(took)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        log = folder / "large.log"
        with log.open("wb") as file:
            for _ in range(LINES // 1_000_000):
                file.write(LINE * 1_000_000)
        listener = socket.create_server(("127.0.0.1", 0))
        multiprocessing.Process(target=serve_from_memory, args=(listener,), daemon=True).start()
        bare = http.client.HTTPConnection(*listener.getsockname())
        memory = []
        for _ in range(rounds):
            begin = time.perf_counter()
            subprocess.run(["wc", "-l", log], check=True, stdout=subprocess.DEVNULL)
            row("bare", (time.perf_counter() - begin) * 1_000 * BEGIN / LINES)
            with Server(plainly, folder) as server:
                # The first request of a server, which opens the connection too.
                text, took = server.read("tail=200")
                assert text == LINE * 200
                row("first", took)
                idle = server.memory("VmRSS")
                for _ in range(20):
                    row("tail", server.read("tail=200")[1])
                memory.append(server.memory("VmHWM") - idle)
                text, took = server.read(f"line={BEGIN},")
                assert text.startswith(LINE) and len(text) <= MIB
                row("line", took)
                row("again", server.read(f"line={BEGIN},")[1])
                for _ in range(50):
                    text, took = server.read(f"bytes=2000000000-{2_000_000_000 + MIB - 1}")
                    row("bytes", took)
                    row("sent", post(bare, "/", {}, {})[1])
                assert len(text) == MIB
                whole = server.memory("VmHWM") - idle
    time_of = {name: median(all_times) for name, all_times in times.items()}
    print("| | ms | bare, ms |")
    print("|---|---:|---:|")
    print(f"| the last 200 lines (`#tail=200`); the first request of a server | {time_of['tail']:.1f}; {time_of['first']:.0f} | |")
    print(f"| line {BEGIN:,} and what follows (`#line={BEGIN},`), when nothing has been counted | {time_of['line']:.0f} | {time_of['bare']:.0f} |")
    print(f"| the same again | {time_of['again']:.1f} | |")
    print(f"| 1 MiB by bytes (`#bytes=2000000000-{2_000_000_000 + MIB - 1}`) | {time_of['bytes']:.2f} | {time_of['sent']:.2f} |")
    print(f"\nMemory: {median(memory):.1f} MiB for the last 200 lines, {whole:.1f} MiB at most.")


if __name__ == "__main__":
    main()
