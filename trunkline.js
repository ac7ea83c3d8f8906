#!/usr/bin/env node
// The command, in plain JavaScript: a version of Node that is too old can read this file, but neither TypeScript nor the service.
import { existsSync } from 'node:fs';

/** As `engines` in package.json: runs TypeScript sources and has `node:sqlite`. */
const NODE_MAJOR_MIN = 24;
const SOURCES = new URL('./src/cli.ts', import.meta.url);
/** The package has no sources. */
const BUILT = new URL('./dist/src/cli.js', import.meta.url);

const { node } = process.versions;
if (Number.parseInt(node, 10) >= NODE_MAJOR_MIN) void import((existsSync(SOURCES) ? SOURCES : BUILT).href);
else {
  const fault = `trunkline needs Node ${NODE_MAJOR_MIN} or newer; this is Node ${node}. Install it from https://nodejs.org`;
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
