import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { ANSWER_TYPES } from '../../../engine/ports/answer-type.ts';
import { END_REASONS } from '../../../engine/ports/end-reason.ts';
import { useAgents } from '../api/agent-list.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { DayRange } from '../ui/day-range.tsx';
import { AMOUNTS, type CallSearch, readCallSearch, STATUSES } from './call-search.ts';
import { shownFilter, type TypedFilter, typedFilter } from './typed-filter.ts';

/** All filters of the API but the time of the answer, which not every call has. A change is a new place, so the back button undoes it. */
export function CallFilters({ search }: { readonly search: CallSearch }) {
  const text = useText();
  const navigate = useNavigate();
  const agents = useAgents();
  const change = (name: keyof CallSearch, value: string) =>
    void navigate({ to: '/calls', search: readCallSearch({ ...search, [name]: value }) });
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">{text.calls.filters}</legend>
      <label>
        {text.calls.agent}
        <select value={search.agent ?? ''} onChange={({ target }) => change('agent', target.value)}>
          <option value="">{text.calls.anyAgent}</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {search.view === 'running' ? (
        <TypeChoice search={search} change={change} />
      ) : (
        <>
          <DayRange range={search} change={change} />
          <StoredFilters search={search} change={change} />
        </>
      )}
    </fieldset>
  );
}

interface FiltersProps {
  readonly search: CallSearch;
  readonly change: (name: keyof CallSearch, value: string) => void;
}

/** The filters of calls that have a result. A number or text counts when its field is left. */
function StoredFilters({ change, search }: FiltersProps) {
  const { calls } = useText();
  // Only at first: a filter that is cleared does not fold the others.
  const [isOpen] = useState(() => RARE_FILTERS.some((name) => search[name] !== undefined));
  return (
    <>
      <Choice
        label={calls.status}
        value={search.status}
        values={STATUSES}
        nameOf={(status) => calls.statuses[status]}
        onChoose={(value) => change('status', value)}
      />
      <Field
        name="heard"
        label={calls.heard}
        expected={calls.expected.heard}
        inputMode="text"
        search={search}
        change={change}
      />
      <details className="more-filters" open={isOpen}>
        <summary>{calls.moreFilters}</summary>
        <div className="filters">
          <RareFilters search={search} change={change} />
        </div>
      </details>
    </>
  );
}

/** Shown when one of them is set, or on request. */
const RARE_FILTERS = ['type', 'direction', 'from', 'to', 'reason', 'answer', ...AMOUNTS, 'metadata'] as const;

function RareFilters({ change, search }: FiltersProps) {
  const { calls, endReasons } = useText();
  return (
    <>
      <TypeChoice search={search} change={change} />
      <Choice
        label={calls.direction}
        value={search.direction}
        values={['inbound', 'outbound'] as const}
        nameOf={(direction) => calls[direction]}
        onChoose={(value) => change('direction', value)}
      />
      <Field
        name="from"
        label={calls.fromNumber}
        expected={calls.expected.phone}
        inputMode="tel"
        search={search}
        change={change}
      />
      <Field
        name="to"
        label={calls.toNumber}
        expected={calls.expected.phone}
        inputMode="tel"
        search={search}
        change={change}
      />
      <Choice
        label={calls.endReason}
        value={search.reason}
        values={END_REASONS}
        nameOf={(reason) => endReasons[reason]}
        onChoose={(value) => change('reason', value)}
      />
      <Choice
        label={calls.answerType}
        value={search.answer}
        values={ANSWER_TYPES}
        nameOf={(answer) => calls.answerTypes[answer]}
        onChoose={(value) => change('answer', value)}
      />
      {AMOUNTS.map((name) => (
        <Field
          key={name}
          name={name}
          label={calls.amounts[name]}
          expected={calls.expected.amount}
          inputMode="decimal"
          search={search}
          change={change}
        />
      ))}
      <Field
        name="metadata"
        label={calls.metadata}
        expected={calls.expected.metadata}
        inputMode="text"
        search={search}
        change={change}
      />
    </>
  );
}

function TypeChoice({ change, search }: FiltersProps) {
  const { calls } = useText();
  return (
    <Choice
      label={calls.type}
      value={search.type}
      values={['phone_call', 'web_call'] as const}
      nameOf={(type) => (type === 'phone_call' ? calls.phone : calls.web)}
      onChoose={(value) => change('type', value)}
    />
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  readonly values: readonly Value[];
  readonly nameOf: (value: Value) => string;
  readonly onChoose: (value: string) => void;
}

function Choice<Value extends string>({ label, nameOf, onChoose, value, values }: ChoiceProps<Value>) {
  const { common } = useText();
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={({ target }) => onChoose(target.value)}>
        <option value="">{common.all}</option>
        {values.map((one) => (
          <option key={one} value={one}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldProps extends FiltersProps {
  readonly name: TypedFilter;
  readonly label: string;
  /** What the filter takes. */
  readonly expected: string;
  readonly inputMode: 'tel' | 'decimal' | 'text';
}

/** Another value, also that of the back button, has a field of its own, without the fault of what was typed before. */
function Field(props: FieldProps) {
  const { language } = useLanguage();
  const value = shownFilter(props.search[props.name], language);
  return <ValueField key={value} value={value} {...props} />;
}

/** What the filter does not take stays in the field, and the list as it was. */
function ValueField({ change, expected, inputMode, label, name, value }: FieldProps & { readonly value: string }) {
  const { language } = useLanguage();
  const faultId = useId();
  const [isFaulty, setFaulty] = useState(false);
  const leave = (typed: string) => {
    const taken = typedFilter(name, typed, language);
    setFaulty(taken === null);
    if (taken !== null && typed !== value) change(name, taken);
  };
  return (
    <div>
      <label>
        {label}
        <input
          type="text"
          inputMode={inputMode}
          defaultValue={value}
          aria-invalid={isFaulty}
          aria-describedby={faultId}
          onBlur={({ target }) => leave(target.value.trim())}
          onKeyDown={({ currentTarget, key }) => {
            if (key === 'Enter') currentTarget.blur();
          }}
        />
      </label>
      <span id={faultId} className="field-fault" role="status">
        {isFaulty && expected}
      </span>
    </div>
  );
}
