import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bodyOf } from '../api/connection.ts';
import { localTime } from '../format/time.ts';
import { listAgents } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { activeKey, allows } from '../session/keyring.ts';
import { useKeyring } from '../session/keyring-store.ts';
import { QueryView } from '../ui/query-view.tsx';

const AGENTS_MAX = 1_000;

export function AgentsPage() {
  const { language, messages: text } = useLanguage();
  const held = activeKey(useKeyring());
  const query = useQuery({ queryKey: ['agents'], queryFn: () => bodyOf(listAgents({ limit: AGENTS_MAX })) });
  return (
    <section className="page">
      <div className="row spread">
        <h1>{text.agents.title}</h1>
        {held !== null && allows(held.key, 'write') && (
          <Link to="/agents/new" className="button button-main">
            {text.agents.create}
          </Link>
        )}
      </div>
      <QueryView query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="quiet">{text.agents.empty}</p>
          ) : (
            <ul className="agent-list">
              {data.map(({ id, name, states, language: spoken, llm, voice, updated_at }) => (
                <li key={id} className="card stack">
                  <h2 className="cut">
                    <Link to="/agents/$agentId" params={{ agentId: id }}>
                      {name}
                    </Link>
                  </h2>
                  <p className="quiet">
                    {text.agents.states(states.length)} · {spoken} · {llm.model ?? llm.provider} · {voice.provider}
                  </p>
                  <p className="quiet">{localTime(updated_at, language)}</p>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  );
}
