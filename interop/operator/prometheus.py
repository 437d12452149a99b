"""Holds the metrics, the alerts and the dashboard against Debian's Prometheus and its promtool.

Usage: prometheus.py PLAINLY
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

OPERATE = Path(__file__).resolve().parents[2] / "docs" / "operate"
PATIENCE = 60


def promtool(*words, text=None):
    """Runs promtool, which must be content without a word of criticism."""
    run = subprocess.run(["promtool", *words], input=text, capture_output=True, text=True)
    assert run.returncode == 0, f"promtool {words}: {run.stdout}{run.stderr}"


def expressions():
    """The expressions of the dashboard, with values for Grafana's variables."""
    for panel in json.loads((OPERATE / "grafana.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")


def start(plainly, folder):
    """A server with a listener for operators, and what it says."""
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("hello")
    server = subprocess.Popen(
        [plainly, "serve", folder / "docs", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    text = ""
    while "status page" not in text:
        text += server.stderr.readline()
    return server, text


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def until(condition):
    """Waits for a state."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if found := condition():
                return found
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError("it never came to that")


def main(plainly):
    promtool("check", "rules", OPERATE / "alerts.yaml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rules = [{"record": f"panel:{at}", "expr": e} for at, e in enumerate(expressions())]
        (folder / "panels.json").write_text(json.dumps({"groups": [{"name": "p", "rules": rules}]}))
        promtool("check", "rules", folder / "panels.json")
        server, text = start(plainly, folder)
        try:
            watch(plainly, folder, text, rules)
        finally:
            server.terminate()
            assert server.wait(PATIENCE) == 0


def watch(plainly, folder, text, rules):
    """Lets Prometheus scrape a server, and asks it for each expression."""
    url = re.search(r" at (http://\S+)", text)[1]
    admin = re.search(r"metrics: http://(\S+)/", text)[1]
    for words in (["read", url, "file:///docs/a.md"], ["call", url, "search", "pattern=hello"]):
        subprocess.run([plainly, *words], check=True, capture_output=True)
    subprocess.run([plainly, "read", url, "file:///docs/missing.md"], capture_output=True)
    # So that there is a session that ended.
    older = [plainly, "discover", url, "--revision", "2025-11-25"]
    subprocess.run(older, check=True, capture_output=True)
    # So that there is a refusal: a name that the server does not have.
    request = urllib.request.Request(url, headers={"Host": "evil.example"}, data=b"{}")
    try:
        urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        assert error.code == 403
    promtool("check", "metrics", text=get(f"http://{admin}/metrics"))
    job = {"job_name": "plainly", "static_configs": [{"targets": [admin]}]}
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "scrape_configs": [job],
        "rule_files": [str(OPERATE / "alerts.yaml")],
    }
    (folder / "prometheus.yml").write_text(json.dumps(config))
    port = free_port()
    prometheus = subprocess.Popen(
        [
            "prometheus",
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        ]
    )
    try:

        def query(expression):
            words = urllib.parse.urlencode({"query": expression})
            answer = json.loads(get(f"http://127.0.0.1:{port}/api/v1/query?{words}"))
            assert answer["status"] == "success", answer
            return answer["data"]["result"]

        until(lambda: query('up{job="plainly"} == 1'))
        for rule in rules:
            # No failure of the server happened, so nothing shows one.
            if 'error_type!=""' not in rule["expr"]:
                assert until(lambda rule=rule: query(rule["expr"])), rule["expr"]
        alerts = json.loads(get(f"http://127.0.0.1:{port}/api/v1/alerts"))
        assert alerts["data"]["alerts"] == [], alerts
    finally:
        prometheus.terminate()
        prometheus.wait(PATIENCE)
    print(f"{len(rules)} expressions of the dashboard have values, and no alert is raised")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


if __name__ == "__main__":
    main(*sys.argv[1:])
