import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface ApiTools {
  readonly python: string;
  readonly openapiPythonClient: string;
  readonly schemathesis: string;
  readonly openapiTypescript: string;
  readonly typescript: string;
  readonly nodeModules: string;
}

/** The folder of `.ci/install-api-tools`. null, with a note, where it is not installed; in CI that is an error. */
export function apiTools(): ApiTools | null {
  const folder = process.env.TRUNKLINE_API_TOOLS;
  if (folder === undefined || !existsSync(folder)) {
    const how = 'run .ci/install-api-tools FOLDER (it needs Python) and set TRUNKLINE_API_TOOLS to the folder';
    if (process.env.TRUNKLINE_REQUIRE_PEERS !== undefined) throw new Error(`the API tools are not installed: ${how}`);
    console.warn(`skipped: the API tools are not installed: ${how}`);
    return null;
  }
  const nodeModules = join(folder, 'node_modules');
  return {
    python: join(folder, 'python/bin/python'),
    openapiPythonClient: join(folder, 'python/bin/openapi-python-client'),
    schemathesis: join(folder, 'python/bin/schemathesis'),
    openapiTypescript: join(nodeModules, '.bin/openapi-typescript'),
    typescript: join(nodeModules, '.bin/tsc'),
    nodeModules,
  };
}
