import { useId } from 'react';
import type { Provider } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import { type DocumentPath, textAt, valueAt, withValue } from '../document/document-edit.ts';
import { fieldPath } from '../document/field-path.ts';
import { type GeneralField, generalFieldId } from '../document/general-field.ts';
import type { EditProps } from './edit-props.ts';
import { KnowledgeChoice } from './knowledge-choice.tsx';
import { type FieldSuggestion, fieldSuggestions, useProviders } from './provider-suggestions.ts';

interface FieldProps extends EditProps {
  readonly label: string;
  readonly field: GeneralField;
}

interface TextFieldProps extends FieldProps {
  readonly suggestions?: readonly FieldSuggestion[];
}

/** The fields that most agents set. The document has all of them. */
export function GeneralForm({ document, onEdit }: EditProps) {
  const { general } = useText().agents.edit;
  const edited = { document, onEdit };
  const { data: providers = [] } = useProviders();
  const suggest = (kind: Provider['kind']) => fieldSuggestions(providers, document, kind);
  const [llm, voice, transcriber] = [suggest('llm'), suggest('voice'), suggest('transcriber')];
  return (
    <div className="stack">
      <TextField {...edited} label={general.name} field="name" />
      <TextField {...edited} label={general.language} field="language" />
      <LongField {...edited} label={general.initial_message} field="initial_message" rows={2} />
      <LongField {...edited} label={general.base_prompt} field="base_prompt" rows={6} />
      <Group title={general.llm}>
        <TextField {...edited} label={general.provider} field="llm.provider" suggestions={llm.providers} />
        <TextField {...edited} label={general.model} field="llm.model" suggestions={llm.models} />
        <NumberField {...edited} label={general.temperature} field="llm.temperature" step={0.1} />
      </Group>
      <Group title={general.voice}>
        <TextField {...edited} label={general.provider} field="voice.provider" suggestions={voice.providers} />
        <TextField {...edited} label={general.voiceName} field="voice.name" suggestions={voice.voices} />
        <NumberField {...edited} label={general.speed} field="voice.speed" step={0.1} />
      </Group>
      <Group title={general.transcriber}>
        <TextField
          {...edited}
          label={general.provider}
          field="transcriber.provider"
          suggestions={transcriber.providers}
        />
        <TextField {...edited} label={general.model} field="transcriber.model" suggestions={transcriber.models} />
      </Group>
      <NumberField {...edited} label={general.max_call_duration} field="max_call_duration" step={1} />
      <label className="row">
        <input
          type="checkbox"
          checked={valueAt(document, ['interruptions']) !== false}
          onChange={({ target }) => onEdit(withValue(document, ['interruptions'], target.checked))}
        />
        {general.interruptions}
      </label>
      <KnowledgeChoice {...edited} title={general.knowledge_base_ids} path={['knowledge_base_ids']} />
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <fieldset className="field-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

/** An empty text is no text: the service has its default. */
function given(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function TextField({ document, onEdit, label, field, suggestions = [] }: TextFieldProps) {
  const { general } = useText().agents.edit;
  const path = fieldPath(field);
  // The provider, its model and its voice: without them the service takes those of its configuration.
  const hasDefault = path.length > 1;
  const id = generalFieldId(field);
  const list = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        placeholder={hasDefault ? general.byDefault : undefined}
        list={suggestions.length === 0 ? undefined : list}
        value={textAt(document, path)}
        onChange={({ target }) => onEdit(withoutEmpty(withValue(document, path, given(target.value)), path))}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map(({ label: shown, value }) => (
            <option key={value} value={value} label={shown} />
          ))}
        </datalist>
      )}
    </div>
  );
}

function LongField({ document, onEdit, label, field, rows }: FieldProps & { readonly rows: number }) {
  const id = generalFieldId(field);
  const path = fieldPath(field);
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={textAt(document, path)}
        onChange={({ target }) => onEdit(withValue(document, path, target.value))}
      />
    </div>
  );
}

function NumberField({ document, onEdit, label, field, step }: FieldProps & { readonly step: number }) {
  const id = generalFieldId(field);
  const path = fieldPath(field);
  const value = valueAt(document, path);
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        step={step}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) => {
          const number = target.value === '' ? undefined : target.valueAsNumber;
          onEdit(withoutEmpty(withValue(document, path, number), path));
        }}
      />
    </div>
  );
}

/** A provider of which no field is left is left out. */
function withoutEmpty(document: unknown, path: DocumentPath): unknown {
  const owner = path.slice(0, -1);
  const value = valueAt(document, owner);
  const isEmpty = owner.length > 0 && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? withValue(document, owner, undefined) : document;
}
