import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { ONNX_RUNTIME } from '../../adapters/end-of-turn/onnx-session.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { type Finding, fine, messageOf, warning } from './finding.ts';

const SUBJECT = 'end-of-turn model';
/** What calls do without the model. */
const WITHOUT = 'the rules decide';
const OTHER_FILE = 'set END_OF_TURN_MODEL to an ONNX file, or remove it';

/**
 * Checks that the file of the acoustic end-of-turn model can be read and that its runtime is installed. Loads neither: a model takes
 * seconds. Empty if none is configured.
 *
 * @param runtime name of the package that runs the model
 */
export async function checkEndOfTurnModel(
  { endOfTurnModel }: Pick<Configuration, 'endOfTurnModel'>,
  runtime: string = ONNX_RUNTIME,
): Promise<readonly Finding[]> {
  if (endOfTurnModel === null) return [];
  const path = resolve(endOfTurnModel);
  const faults = [...(await checkFile(path)), ...checkRuntime(runtime)];
  return faults.length > 0 ? faults : [fine(SUBJECT, `${path} is readable, and ${runtime} is installed`)];
}

async function checkFile(path: string): Promise<readonly Finding[]> {
  try {
    if (!(await stat(path)).isFile()) return [warning(SUBJECT, `${path} is not a file: ${WITHOUT}`, OTHER_FILE)];
    await access(path, constants.R_OK);
    return [];
  } catch (error) {
    switch (error instanceof Error && 'code' in error ? error.code : null) {
      case 'ENOENT':
      case 'ENOTDIR':
        return [warning(SUBJECT, `${path} does not exist: ${WITHOUT}`, OTHER_FILE)];
      case 'EACCES':
        return [warning(SUBJECT, `this user may not read ${path}: ${WITHOUT}`, 'make the file readable for this user')];
      default:
        return [warning(SUBJECT, `${path} cannot be read: ${messageOf(error)}: ${WITHOUT}`, OTHER_FILE)];
    }
  }
}

/** The worker of the model imports the package from this installation, too. */
function checkRuntime(runtime: string): readonly Finding[] {
  try {
    createRequire(import.meta.url).resolve(runtime);
    return [];
  } catch {
    return [warning(SUBJECT, `${runtime} is not installed: ${WITHOUT}`, `run npm install ${runtime} beside Trunkline`)];
  }
}
