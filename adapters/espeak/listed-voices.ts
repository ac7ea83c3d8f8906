import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FetchProviderList } from '../provider-lists/provider-list.ts';
import { isEspeakVoiceName } from './espeak-arguments.ts';

/** Maximum size of the list, which takes about 10 kB. */
const LIST_BYTES_MAX = 1024 * 1024;
/** A line of `--voices`: priority, language, age and gender, name with `_` for spaces, file, other languages. */
const LINE = /^\s*\d+\s+(\S+)\s+\S+\s+(\S+)\s/;

/** The voices of the program: one for each of its languages, by which an agent names it. */
export function espeakVoices(path: string): FetchProviderList {
  return async (signal) => {
    const { stdout } = await promisify(execFile)(path, ['--voices'], { signal, maxBuffer: LIST_BYTES_MAX });
    const voices = stdout.split('\n').flatMap((line) => {
      const [, name = '', label = ''] = LINE.exec(line) ?? [];
      return isEspeakVoiceName(name) ? [{ name, label: label.replaceAll('_', ' '), language: name }] : [];
    });
    return { models: [], voices };
  };
}
