"""The container image, unpacked, and run with nothing but what it has."""

import json
import os

from packages.binary import Binary

from .support import CALLER, HOST, VERSION, folder, one, run, serving


def test(home):
    archive = one(f"plainly-*-{HOST}.oci.tar")
    run("skopeo", "copy", f"oci-archive:{archive}", f"oci:{home}/layout:test")
    # As `docker load` reads it.
    run("skopeo", "copy", f"docker-archive:{archive}:plainly:{VERSION}", f"dir:{home}/docker")
    run("umoci", "raw", "unpack", "--rootless", "--image", f"{home}/layout:test", home / "root")
    if Binary.read(f"{HOST}={home}/root/plainly").glibc is None:
        found = {path.relative_to(home / "root").as_posix() for path in (home / "root").rglob("*") if path.is_file()}
        assert found == {"plainly", "etc/passwd", "etc/ssl/certs/ca-certificates.crt"}, found
    config = json.loads(run("skopeo", "inspect", "--config", f"oci:{home}/layout:test"))["config"]
    user, group = config["User"].split(":")
    files = folder(home)
    confined = [
        # As process 1, the program gets the signals of the runtime itself. It ends with bwrap whatever happens.
        *["bwrap", "--die-with-parent", "--unshare-user", "--unshare-pid", "--as-pid-1", "--uid", user, "--gid", group, "--cap-drop", "ALL"],
        *["--ro-bind", home / "root", "/", "--ro-bind", files, "/data", "--tmpfs", "/tmp"],
        *["--proc", "/proc", "--dev", "/dev", "--chdir", config["WorkingDir"]],
    ]
    command = [*confined, *config["Entrypoint"], *config["Cmd"]]
    command[command.index("0.0.0.0:3333")] = "0.0.0.0:0"
    with serving(*command) as (_server, url):
        listed = run(CALLER, "ls", url)
        assert "a%20file" in listed, listed
    by_runc(home, config, files)


def by_runc(home, config, files):
    """Runs the image as `docker run --read-only` does, and stops it."""
    bundle = home / "bundle"
    bundle.mkdir()
    (home / "root").rename(bundle / "rootfs")
    run("runc", "spec", cwd=bundle)
    spec = json.loads((bundle / "config.json").read_text())
    user, group = map(int, config["User"].split(":"))
    args = [*config["Entrypoint"], *config["Cmd"]]
    args[args.index("0.0.0.0:3333")] = "127.0.0.1:0"
    nothing = {kind: [] for kind in spec["process"]["capabilities"]}
    spec["process"] |= {"args": args, "cwd": config["WorkingDir"], "terminal": False, "capabilities": nothing}
    spec["process"]["user"] = {"uid": user, "gid": group}
    spec["root"]["readonly"] = True
    spec["mounts"].append({"destination": "/data", "source": str(files), "type": "bind", "options": ["rbind", "ro"]})
    # The network of this machine: there is nobody to give it one of its own.
    spec["linux"]["namespaces"] = [it for it in spec["linux"]["namespaces"] if it["type"] not in ("network", "cgroup")]
    (bundle / "config.json").write_text(json.dumps(spec))
    name = f"plainly-test-{os.getpid()}"
    try:
        with serving("runc", "run", "--bundle", bundle, name) as (server, url):
            listed = run(CALLER, "ls", url)
            assert "a%20file" in listed, listed
            run("runc", "kill", name, "TERM")
            assert server.wait(30) == 0
    finally:
        run("runc", "delete", "--force", name)
