import { Link } from '@tanstack/react-router';
import { useAgentPages } from '../api/agent-list.ts';
import { localTime } from '../format/time.ts';
import { useLanguage } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';

/** The agents of the organization, newest first. */
export function AgentsPage() {
  const { language, messages: text } = useLanguage();
  const mayWrite = useAllowed('write');
  const query = useAgentPages();
  return (
    <section className="page">
      <div className="row spread">
        <h1>{text.agents.title}</h1>
        {mayWrite && (
          <Link to="/agents/new" className="button button-main">
            {text.agents.create}
          </Link>
        )}
      </div>
      <QueryView query={query}>
        {({ pages }) => {
          const agents = pages.flatMap(({ data }) => data);
          if (agents.length === 0) return <p className="quiet">{text.agents.empty}</p>;
          return (
            <ul className="agent-list">
              {agents.map(({ id, name, states, language: agentLanguage, llm, voice, updated_at }) => (
                <li key={id} className="card stack">
                  <h2 className="cut">
                    <Link to="/agents/$agentId" params={{ agentId: id }}>
                      {name}
                    </Link>
                  </h2>
                  <p className="quiet">
                    {text.agents.states(states.length)} · {agentLanguage} · {llm.model ?? llm.provider} ·{' '}
                    {voice.provider}
                  </p>
                  <p className="quiet">{localTime(updated_at, language)}</p>
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
