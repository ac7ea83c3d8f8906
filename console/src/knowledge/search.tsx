import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { decimal } from '../format/decimal.ts';
import { searchKnowledgeBase } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';

const QUERY_LENGTH_MAX = 1_000;

/** Shows what an agent would find for a question. */
export function Search({ baseId }: { readonly baseId: string }) {
  const text = useText();
  const field = useId();
  const [written, setWritten] = useState('');
  const [asked, setAsked] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(written.trim());
  };
  return (
    <div className="card stack">
      <form className="stack" onSubmit={submit}>
        <label htmlFor={field}>{text.knowledge.search}</label>
        <input
          id={field}
          type="search"
          maxLength={QUERY_LENGTH_MAX}
          value={written}
          onChange={({ target }) => setWritten(target.value)}
        />
        <div>
          <Button type="submit" disabled={written.trim() === ''}>
            {text.knowledge.find}
          </Button>
        </div>
      </form>
      {asked !== '' && <Passages baseId={baseId} query={asked} />}
    </div>
  );
}

function Passages({ baseId, query: asked }: { readonly baseId: string; readonly query: string }) {
  const { language, messages: text } = useLanguage();
  const query = useQuery({
    queryKey: ['knowledge', baseId, 'search', asked],
    queryFn: () => bodyOf(searchKnowledgeBase(asked, baseId)),
  });
  return (
    <QueryView query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p role="status">{text.knowledge.nothing}</p>
        ) : (
          <ol className="stack" aria-label={text.knowledge.passages}>
            {data.map(({ source_id: sourceId, file_name: name, page, heading, content, score }) => (
              <li key={`${sourceId} ${page} ${content}`} className="stack passage">
                <p className="row">
                  <Badge tone="info">{decimal(score, 2, language)}</Badge>
                  <strong className="passage-name">{[name, heading].filter((part) => part !== '').join(' · ')}</strong>
                  {page !== null && <span className="quiet">{text.knowledge.page(page)}</span>}
                </p>
                <p className="speech">{content}</p>
              </li>
            ))}
          </ol>
        )
      }
    </QueryView>
  );
}
