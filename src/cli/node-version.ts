/** As `engines` in package.json: runs TypeScript sources and has `node:sqlite`. */
const NODE_MAJOR_MIN = 24;

/** Why this version of Node (`process.versions.node`) cannot run the service; null if it can. */
export function nodeVersionFault(version: string): string | null {
  return Number.parseInt(version, 10) >= NODE_MAJOR_MIN
    ? null
    : `trunkline needs Node ${NODE_MAJOR_MIN} or newer; this is Node ${version}. Install it from https://nodejs.org`;
}
