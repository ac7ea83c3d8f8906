import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { localTime } from '../format/time.ts';
import { type ApiKeyListing, listApiKeys, revokeApiKey } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { currentKey } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { CreateKey } from './create-key.tsx';

/** The API keys of the organization. */
export function KeysPage() {
  const text = useText();
  const query = useQuery({ queryKey: ['keys'], queryFn: () => bodyOf(listApiKeys()) });
  const columns = [text.keys.name, text.keys.key, text.session.scopes, text.keys.created, text.keys.state];
  return (
    <section className="page">
      <h1>{text.session.keys}</h1>
      <CreateKey />
      <QueryView query={query}>
        {({ data }) => (
          <DataTable label={text.session.keys} columns={columns} empty={text.keys.empty} isStacked>
            {data.map((key) => (
              <KeyRow key={key.id} listing={key} />
            ))}
          </DataTable>
        )}
      </QueryView>
    </section>
  );
}

function KeyRow({ listing }: { readonly listing: ApiKeyListing }) {
  const { language, messages: text } = useLanguage();
  const { id, name, prefix, scopes, created_at: createdAt, revoked_at: revokedAt } = listing;
  return (
    <tr>
      <td className="cell-text">{name}</td>
      <td className={prefix === '' ? 'quiet' : 'mono'}>
        {prefix === '' ? text.evidence.keyFromEnvironment : `${prefix}…`}
      </td>
      <td>{scopes.join(', ')}</td>
      <td>{localTime(createdAt, language)}</td>
      <td>
        {revokedAt !== null && <Badge tone="warn">{text.keys.revoked(localTime(revokedAt, language))}</Badge>}
        {revokedAt === null && id === currentKey()?.key.id && <Badge tone="info">{text.keys.inUse}</Badge>}
        {revokedAt === null && id !== currentKey()?.key.id && <Revoke id={id} name={name} />}
      </td>
    </tr>
  );
}

function Revoke({ id, name }: { readonly id: string; readonly name: string }) {
  const text = useText();
  const client = useQueryClient();
  const revoked = useMutation({
    mutationFn: () => bodyOf(revokeApiKey(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  return (
    <>
      <Confirm
        label={text.keys.revoke}
        question={text.keys.revokeQuestion(name)}
        isDisabled={revoked.isPending}
        onConfirm={() => revoked.mutate()}
      />
      <ErrorNotice error={revoked.error} />
    </>
  );
}
