import { useInfiniteQuery } from '@tanstack/react-query';
import { listKnowledgeBases } from '../generated/client.ts';
import { bodyOf } from './connection.ts';

const PAGE_BASES = 100;

/** All knowledge bases of the organization, page by page. */
export function useKnowledgePages() {
  return useInfiniteQuery({
    queryKey: ['knowledge', 'pages'],
    queryFn: ({ pageParam }) => basePage(pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });
}

/** `cursor`: the `next_cursor` of the page before; empty for the first page. */
function basePage(cursor: string) {
  return bodyOf(listKnowledgeBases({ limit: PAGE_BASES, useCursor: true, ...(cursor !== '' && { cursor }) }));
}
