import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { bodyOf } from '../api/connection.ts';
import { deleteKnowledgeBase, getKnowledgeBase, type KnowledgeBase, removeSources } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { KnowledgeUse } from './knowledge-use.tsx';
import { Search } from './search.tsx';
import { SourceText } from './source-text.tsx';
import { SOURCE_TONES } from './source-tone.ts';
import { Upload } from './upload-form.tsx';

/** How often a knowledge base is read again while a source is being read, ms. */
const READ_INTERVAL_MS = 1_500;

export function KnowledgeBasePage() {
  const { baseId } = useParams({ from: '/knowledge/$baseId' });
  const text = useText();
  const query = useQuery({
    queryKey: ['knowledge', baseId],
    queryFn: () => bodyOf(getKnowledgeBase(baseId)),
    refetchInterval: ({ state }) => (state.data !== undefined && isReading(state.data.data) ? READ_INTERVAL_MS : false),
  });
  return (
    <section className="page">
      <p>
        <Link to="/knowledge">← {text.knowledge.title}</Link>
      </p>
      <QueryView query={query}>{({ data }) => <Base base={data} />}</QueryView>
    </section>
  );
}

function isReading({ sources }: KnowledgeBase): boolean {
  return sources.some(({ status }) => status === 'ingesting');
}

function Base({ base }: { readonly base: KnowledgeBase }) {
  const text = useText();
  const mayWrite = useAllowed('write');
  return (
    <>
      <div className="row spread">
        <h1>{base.name}</h1>
        {mayWrite && <Delete base={base} />}
      </div>
      <KnowledgeUse />
      <Search baseId={base.id} />
      {mayWrite && <Upload baseId={base.id} isReading={isReading(base)} />}
      <DataTable
        label={text.knowledge.sources(base.sources.length)}
        columns={[text.knowledge.source, text.calls.status, text.common.actions]}
        empty={text.knowledge.noSource}
        isStacked
      >
        {base.sources.map(({ id, file_name: name, status, error }) => (
          <tr key={id}>
            <td className="cell-text">{name}</td>
            <td className="cell-text" data-name={text.calls.status}>
              <Badge tone={SOURCE_TONES[status]}>{text.knowledge.statuses[status]}</Badge>
              {error !== null && <p>{error}</p>}
            </td>
            <td>
              <div className="row">
                {status === 'ready' && <SourceText baseId={base.id} sourceId={id} name={name} />}
                {mayWrite && <Remove baseId={base.id} sourceId={id} name={name} />}
              </div>
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}

interface RemoveProps {
  readonly baseId: string;
  readonly sourceId: string;
  readonly name: string;
}

function Remove({ baseId, sourceId, name }: RemoveProps) {
  const text = useText();
  const client = useQueryClient();
  const removed = useMutation({
    mutationFn: () => bodyOf(removeSources(baseId, { source_ids: [sourceId] })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['knowledge'] }),
  });
  return (
    <>
      <Confirm
        label={text.knowledge.remove}
        question={text.knowledge.removeQuestion(name)}
        isDisabled={removed.isPending}
        onConfirm={() => removed.mutate()}
      />
      <ErrorNotice error={removed.error} />
    </>
  );
}

function Delete({ base: { id, name } }: { readonly base: KnowledgeBase }) {
  const text = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const deleted = useMutation({
    mutationFn: () => bodyOf(deleteKnowledgeBase(id)),
    onSuccess: async () => {
      await navigate({ to: '/knowledge' });
      await client.invalidateQueries({ queryKey: ['knowledge', 'pages'] });
    },
  });
  return (
    <div className="row">
      <ErrorNotice error={deleted.error} />
      <Confirm
        label={text.knowledge.delete}
        question={text.knowledge.removeQuestion(name)}
        isDisabled={deleted.isPending}
        onConfirm={() => deleted.mutate()}
      />
    </div>
  );
}
