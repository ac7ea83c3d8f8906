import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useCallback, useId, useMemo, useState } from 'react';
import { bodyOf } from '../../api/connection.ts';
import { type Agent, type AgentTestFault, runTests } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { CodeEditor, type Mark } from '../editor/code-editor.tsx';
import { keepTestFile, testFileOf } from './test-files.ts';
import { TestResults } from './test-results.tsx';

/** YAML has no support here but that of any text. */
const PLAIN_TEXT: readonly never[] = [];

interface AgentTestsProps {
  readonly agent: Pick<Agent, 'id' | 'version'>;
}

/** Runs a test file against the version of the agent that the page shows. */
export function AgentTests({ agent: { id, version } }: AgentTestsProps) {
  const text = useText();
  const [content, setContent] = useState(() => testFileOf(id));
  const edit = useCallback(
    (changed: string) => {
      keepTestFile(id, changed);
      setContent(changed);
    },
    [id],
  );
  const run = useMutation({ mutationFn: () => bodyOf(runTests(id, { content, version })) });
  const result = run.data?.data;
  const marks = useMemo(() => marksOf(result?.faults ?? []), [result]);
  return (
    <section className="card stack" aria-label={text.agents.tests.title}>
      <h2>{text.agents.tests.title}</h2>
      <p className="quiet">{text.agents.tests.explanation(version)}</p>
      <div className="test-editor">
        <CodeEditor
          label={text.agents.tests.file}
          content={content}
          isReadOnly={false}
          onChange={edit}
          language={PLAIN_TEXT}
          marks={marks}
        />
      </div>
      <div className="row">
        <Button tone="main" disabled={run.isPending || content.trim() === ''} onClick={() => run.mutate()}>
          {text.agents.tests.run}
        </Button>
        <OpenFile onOpen={edit} />
        <Button onClick={() => saveFile('agent.test.yaml', new Blob([content], { type: 'application/yaml' }))}>
          {text.agents.tests.save}
        </Button>
        {run.isPending && <Notice>{text.agents.tests.running}</Notice>}
        <ErrorNotice error={run.error} />
      </div>
      {result !== undefined && !run.isPending && <TestResults run={result} />}
    </section>
  );
}

function marksOf(faults: readonly AgentTestFault[]): readonly Mark[] {
  return faults.flatMap(({ line, column, message }) =>
    line === null || column === null ? [] : [{ line, column, message }],
  );
}

function OpenFile({ onOpen }: { readonly onOpen: (content: string) => void }) {
  const text = useText();
  const field = useId();
  const open = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file !== undefined) onOpen(await file.text());
    // The same file can be opened again after a change.
    target.value = '';
  };
  return (
    <label htmlFor={field} className="button button-plain file-button">
      {text.agents.tests.open}
      <input id={field} type="file" accept=".yaml,.yml,.json" onChange={(event) => void open(event)} />
    </label>
  );
}
