import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useAgentNamesQuery } from '../api/agent-list.ts';
import { bodyOf } from '../api/connection.ts';
import { startWebCall } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { isCallRunning } from './connection/web-call-state.ts';
import { TalkPanel } from './talk-panel.tsx';
import { useWebCall } from './use-web-call.ts';

/** Talk to one of the agents. */
export function TalkPage() {
  const text = useText();
  const query = useAgentNamesQuery();
  return (
    <section className="page talk-page">
      <h1>{text.talk.title}</h1>
      <QueryView query={query}>
        {({ data }) =>
          data.length === 0 ? <p className="quiet">{text.talk.noAgent}</p> : <ChosenAgent agents={data} />
        }
      </QueryView>
    </section>
  );
}

interface ChosenAgentProps {
  readonly agents: readonly { readonly id: string; readonly name: string }[];
}

function ChosenAgent({ agents }: ChosenAgentProps) {
  const text = useText();
  const field = useId();
  const { call, state } = useWebCall();
  const [chosen, choose] = useState(agents[0]?.id ?? '');
  return (
    <div className="card stack">
      <label htmlFor={field}>{text.talk.agent}</label>
      <select id={field} value={chosen} disabled={isCallRunning(state)} onChange={({ target }) => choose(target.value)}>
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <TalkPanel
        call={call}
        state={state}
        prepare={async () => (await bodyOf(startWebCall({ agent_id: chosen }))).data.media_url}
      >
        {state.callId !== null && (
          <p>
            <Link to="/calls/$callId" params={{ callId: state.callId }}>
              {text.talk.openCall}
            </Link>
          </p>
        )}
      </TalkPanel>
    </div>
  );
}
