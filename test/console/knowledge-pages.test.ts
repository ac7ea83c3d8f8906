import { expect, it } from 'vitest';
import { pagesOf } from '../../console/src/knowledge/pages.ts';

it('groups the passages of a source by page, in the order of the pages', () => {
  const passage = (page: number | null, content: string) => ({ page, heading: '', content });
  const passages = [passage(1, 'a'), passage(1, 'b'), passage(3, 'c')];
  expect(pagesOf(passages)).toEqual([
    { page: 1, passages: passages.slice(0, 2) },
    { page: 3, passages: passages.slice(2) },
  ]);
  expect(pagesOf([passage(null, 'a')])).toEqual([{ page: null, passages: [passage(null, 'a')] }]);
  expect(pagesOf([])).toEqual([]);
});
