import { expect, it } from 'vitest';
import { ApiFailure } from '../../console/src/api/api-failure.ts';
import { ServiceUnreachable } from '../../console/src/api/service-unreachable.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import { refusedUpload, uploadFault } from '../../console/src/knowledge/upload-fault.ts';

const PDF = '%PDF-1.7';
const FILES_MAX = 20;

function file(name: string, content: string): File {
  return new File([content], name, { type: 'application/pdf' });
}

it('sources that the service would refuse are named before they are sent', async () => {
  const faultOf = (...files: readonly File[]) => uploadFault(files, false, en);
  expect(await faultOf()).toBe('Choose PDF files, or write a text.');
  expect(await uploadFault([], true, en)).toBeNull();
  expect(await faultOf(file('menu.pdf', PDF))).toBeNull();
  expect(await faultOf(file('menu.pdf', PDF), file('hours.pdf', ''))).toBe('“hours.pdf” is empty.');
  expect(await faultOf(file('menu.pdf', '<html>'))).toBe('“menu.pdf” is no PDF file.');
  const large = Object.defineProperty(file('menu.pdf', PDF), 'size', { value: 20 * 1_048_576 + 1 });
  expect(await faultOf(large)).toBe('“menu.pdf” is larger than 20 MiB.');
  expect(await faultOf(...Array.from({ length: FILES_MAX + 1 }, () => file('menu.pdf', PDF)))).toBe(
    'At most 20 files at once.',
  );
});

it('the service’s refusal of sources is said in the language of the page, without fields of the API', () => {
  const refusal = (status: number, field: string) => {
    const details = [{ field, message: 'expected other things' }];
    return refusedUpload(new ApiFailure(status, { message: `${field}: expected other things`, details }), de);
  };
  expect(refusal(422, 'file_sources')).toBe('Eine Wissensbasis fasst höchstens 200 Quellen.');
  expect(refusal(422, 'text_sources[0].content')).toBe('expected other things');
  expect(refusal(413, '')).toContain('zu viel auf einmal');
  expect(refusal(429, '')).toContain('Zu viele Quellen warten');
  expect(refusal(503, '')).toContain('nimmt jetzt keine Quellen an');
  expect(refusedUpload(new ServiceUnreachable(), de)).toBe('Der Dienst ist nicht erreichbar.');
});
