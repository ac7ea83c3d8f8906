import { useInfiniteQuery } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { bodyOf } from '../api/connection.ts';
import { getSourceText, type KnowledgeSourceText } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Modal } from '../ui/modal.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { pagesOf } from './pages.ts';

const PASSAGES_AT_ONCE = 100;

interface SourceTextProps {
  readonly baseId: string;
  readonly sourceId: string;
  readonly name: string;
}

/** Opens the text that was read from a source. */
export function SourceText({ baseId, sourceId, name }: SourceTextProps) {
  const text = useText();
  return (
    <Dialog.Root>
      <Dialog.Trigger className="button button-plain" aria-label={text.knowledge.textOf(name)}>
        {text.knowledge.readText}
      </Dialog.Trigger>
      <Modal title={text.knowledge.textOf(name)}>
        <Pages baseId={baseId} sourceId={sourceId} />
      </Modal>
    </Dialog.Root>
  );
}

function Pages({ baseId, sourceId }: Omit<SourceTextProps, 'name'>) {
  const text = useText();
  const query = useInfiniteQuery({
    queryKey: ['knowledge', baseId, 'text', sourceId],
    queryFn: ({ pageParam }) =>
      bodyOf(
        getSourceText(baseId, sourceId, {
          limit: PASSAGES_AT_ONCE,
          ...(pageParam !== '' && { cursor: pageParam }),
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });
  return (
    <QueryView query={query}>
      {({ pages }) => (
        <>
          {pagesOf(pages.flatMap(({ data }) => data)).map(({ page, passages }) => (
            <div key={page ?? 0} className="stack">
              {page !== null && <h3>{text.knowledge.page(page)}</h3>}
              <Passages passages={passages} />
            </div>
          ))}
          <MoreButton query={query} />
        </>
      )}
    </QueryView>
  );
}

/** A heading is shown above the first passage below it. */
function Passages({ passages }: { readonly passages: readonly KnowledgeSourceText[] }) {
  return passages.map(({ content, heading }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: passages may repeat, and never move.
    <div key={index}>
      {heading !== '' && heading !== passages[index - 1]?.heading && <h4 className="passage-name">{heading}</h4>}
      <p className="source-text">{content}</p>
    </div>
  ));
}
