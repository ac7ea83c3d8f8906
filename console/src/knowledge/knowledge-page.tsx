import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { useKnowledgePages } from '../api/knowledge-list.ts';
import { localTime } from '../format/time.ts';
import { createKnowledgeBase } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { KnowledgeUse } from './knowledge-use.tsx';
import { SOURCE_TONES } from './source-tone.ts';

const NAME_LENGTH_MAX = 100;

/** The knowledge bases of the organization. */
export function KnowledgePage() {
  const { language, messages: text } = useLanguage();
  const mayWrite = useAllowed('write');
  const query = useKnowledgePages();
  return (
    <section className="page">
      <h1>{text.knowledge.title}</h1>
      <KnowledgeUse />
      {mayWrite && <CreateBase />}
      <QueryView query={query}>
        {({ pages }) => {
          const bases = pages.flatMap(({ data }) => data);
          if (bases.length === 0) return <p className="quiet">{text.knowledge.empty}</p>;
          return (
            <ul className="agent-list">
              {bases.map(({ id, name, status, sources, created_at: createdAt }) => (
                <li key={id} className="card stack">
                  <div className="row spread">
                    <h2 className="cut">
                      <Link to="/knowledge/$baseId" params={{ baseId: id }}>
                        {name}
                      </Link>
                    </h2>
                    <Badge tone={SOURCE_TONES[status]}>{text.knowledge.statuses[status]}</Badge>
                  </div>
                  <p className="quiet">
                    {text.knowledge.sources(sources.length)} · {localTime(createdAt, language)}
                  </p>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
      <MoreButton query={query} />
    </section>
  );
}

function CreateBase() {
  const text = useText();
  const client = useQueryClient();
  const field = useId();
  const [name, setName] = useState('');
  const created = useMutation({
    mutationFn: () => bodyOf(createKnowledgeBase({ name: name.trim() })),
    onSuccess: () => {
      setName('');
      return client.invalidateQueries({ queryKey: ['knowledge'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    created.mutate();
  };
  return (
    <form className="card stack" onSubmit={submit}>
      <label htmlFor={field}>{text.knowledge.newName}</label>
      <input
        id={field}
        required
        maxLength={NAME_LENGTH_MAX}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <div>
        <Button tone="main" type="submit" disabled={created.isPending || name.trim() === ''}>
          {text.knowledge.create}
        </Button>
      </div>
      <ErrorNotice error={created.error} />
    </form>
  );
}
