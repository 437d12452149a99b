#!/usr/bin/env node
"use strict";
// Finds the program of this platform and becomes it. Where a process can't become another one (Node before 22.15, Windows), it
// runs the program, and passes on signals and the exit code.
const { spawn } = require("node:child_process");
const { platform, arch, env, argv } = process;

const program = found();
env.PLAINLY_INSTALLED ??= "npm";
if (process.execve) {
  // Node warns that `execve` is experimental, and hosts show that to users.
  process.emitWarning = () => {};
  process.execve(program, [program, ...argv.slice(2)], env);
}
run();

function found() {
  if (env.PLAINLY_BINARY) return env.PLAINLY_BINARY;
  const name = `@plainly-mcp/cli-${platform}-${arch}`;
  try {
    return require.resolve(`${name}/${platform === "win32" ? "plainly.exe" : "plainly"}`);
  } catch {
    if (name in require("./package.json").optionalDependencies) {
      console.error(`error: no plainly for ${platform} ${arch}: npm has not installed ${name}`);
      console.error(" help: install without --omit=optional, and without a lock file of another system");
    } else {
      console.error(`error: no plainly for ${platform} ${arch}: no package has it`);
      console.error(" help: compile it, with cargo install plainly-cli");
    }
    process.exit(127);
  }
}

function run() {
  const child = spawn(program, argv.slice(2), { stdio: "inherit" });
  // A terminal sends its own signals to the child too, and plainly takes a second one as "at once".
  const terminal = process.stdin.isTTY || process.stderr.isTTY;
  const own = terminal ? ["SIGINT", "SIGQUIT"] : [];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
    process.on(signal, () => own.includes(signal) || child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`error: cannot start ${program}: ${error.message}`);
    process.exit(error.code === "ENOENT" ? 127 : 126);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
