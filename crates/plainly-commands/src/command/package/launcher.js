#!/usr/bin/env node
"use strict";
// Finds the program of this platform and becomes it. Where a process can't become another one (Node before 22.15, Windows), it
// runs the program, and passes on signals and the exit code.
const { spawn } = require("node:child_process");
const { accessSync, constants } = require("node:fs");
const { name, optionalDependencies } = require("./package.json");
const { platform, arch, env, argv } = process;

const program = found();
if (process.execve) {
  try {
    // Where this fails, `execve` would end with a trace of the stack of Node.
    accessSync(program, constants.X_OK);
  } catch (error) {
    fail(error);
  }
  // Node warns that `execve` is experimental, and hosts show that to users.
  process.emitWarning = () => {};
  process.execve(program, [program, ...argv.slice(2)], env);
}
run();

function found() {
  const parts = Object.keys(optionalDependencies);
  const part = parts.find((it) => it.endsWith(`-${platform}-${arch}`));
  const command = name.split("/").pop();
  try {
    return require.resolve(`${part}/${platform === "win32" ? `${command}.exe` : command}`);
  } catch {
    if (part) {
      console.error(`error: no ${command} for ${platform} ${arch}: npm has not installed ${part}`);
      console.error(" help: install without --omit=optional, and without a lock file of another system");
    } else {
      console.error(`error: no ${command} for ${platform} ${arch}: there are only ${parts.join(", ")}`);
      console.error(" help: look where its source is, and compile it");
    }
    process.exit(127);
  }
}

function run() {
  const child = spawn(program, argv.slice(2), { stdio: "inherit" });
  // A terminal sends its own signals to the child too, and some programs take a second one as "at once".
  const terminal = process.stdin.isTTY || process.stderr.isTTY;
  const own = terminal ? ["SIGINT", "SIGQUIT"] : [];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
    process.on(signal, () => own.includes(signal) || child.kill(signal));
  }
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(error) {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(error.code === "ENOENT" ? 127 : 126);
}
