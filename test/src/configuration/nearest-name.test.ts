import { expect, it } from 'vitest';
import { nearestName } from '../../../src/configuration/nearest-name.ts';

const NAMES = ['HTTP_PORT', 'SIP_PORT', 'DATA_DIR'];

it('finds the name that a wrong one resembles, in any case', () => {
  expect(nearestName('HTPP_PORT', NAMES)).toBe('HTTP_PORT');
  expect(nearestName('data_dir', NAMES)).toBe('DATA_DIR');
});

it('finds none for another word', () => {
  expect(nearestName('PATH_TO_FILES', NAMES)).toBeUndefined();
});

it('finds none of which most letters differ', () => {
  expect(nearestName('verbos', ['error', 'debug', 'trace'])).toBeUndefined();
});
