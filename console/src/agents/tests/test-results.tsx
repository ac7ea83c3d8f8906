import type { AgentTestConversation, AgentTestFault, AgentTestLine, AgentTestRun } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Each conversation of a run with its result, or the faults of the file. */
export function TestResults({ run }: { readonly run: AgentTestRun }) {
  const text = useText();
  const { conversations, failed, faults, left_out: leftOut, passed, status, stopped, version } = run;
  if (status === 'not_run') return <Faults faults={faults} />;
  return (
    <div className="stack">
      <Notice tone={status === 'passed' ? 'good' : 'bad'}>{text.agents.tests.sum(passed, failed, version)}</Notice>
      {stopped !== null && <Notice tone="bad">{text.agents.tests.stopped[stopped](leftOut)}</Notice>}
      <ol className="stack plain-list" aria-label={text.agents.tests.results}>
        {conversations.map((conversation, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and results never move.
          <li key={index}>
            <Conversation conversation={conversation} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Faults({ faults }: { readonly faults: readonly AgentTestFault[] }) {
  const text = useText();
  return (
    <Notice tone="bad">
      <p>{text.agents.tests.notRun}</p>
      <ul>
        {faults.map(({ line, column, field, message }) => (
          <li key={`${line} ${column} ${field} ${message}`}>
            {line !== null && `${text.agents.tests.place(line, column ?? 1)} `}
            {field !== '' && <code>{field}: </code>}
            {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Conversation({ conversation }: { readonly conversation: AgentTestConversation }) {
  const text = useText();
  const { duration_ms: durationMs, failure, name, passed, transcript } = conversation;
  return (
    <details className="test-result" open={!passed}>
      <summary>
        <Badge tone={passed ? 'good' : 'bad'}>{passed ? text.agents.tests.passed : text.agents.tests.failed}</Badge>{' '}
        <span className="test-name">{name}</span> <span className="quiet">{durationMs} ms</span>
      </summary>
      {failure !== null && (
        <div className="test-failure">
          <p>{failure.where}</p>
          <ul>
            {failure.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
            {failure.happened
              .filter(({ kind }) => kind === 'note')
              .map(({ text: note }) => (
                <li key={note}>{note}</li>
              ))}
          </ul>
        </div>
      )}
      <Transcript lines={transcript} />
    </details>
  );
}

function Transcript({ lines }: { readonly lines: readonly AgentTestLine[] }) {
  const text = useText();
  if (lines.length === 0) return <p className="quiet">{text.agents.tests.silent}</p>;
  return (
    <ol className="test-lines" aria-label={text.agents.tests.transcript}>
      {lines.map(({ kind, text: said }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat, and never move.
        <li key={index} className={`test-line test-line-${kind}`}>
          <span className="test-kind">{text.agents.tests.kinds[kind]}</span>
          <span className="test-text">{said}</span>
        </li>
      ))}
    </ol>
  );
}
