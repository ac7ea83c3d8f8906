import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { listAt, textAt, withValue } from '../document/document-edit.ts';
import type { EditProps } from './edit-props.ts';
import { withNewTransition } from './state-edit.ts';

interface TransitionListProps extends EditProps {
  /** Place of the state. */
  readonly index: number;
  /** Place of the transition that was just added; null: none. */
  readonly added: number | null;
  readonly onAdded: (at: number) => void;
}

/** The ways out of a state: each leads to a state once its condition holds. */
export function TransitionList({ document, onEdit, index, added, onAdded }: TransitionListProps) {
  const { edit } = useText().agents;
  const names = listAt(document, ['states']).map((state) => textAt(state, ['name']));
  // Elements have no identity but their place.
  const transitions = listAt(document, ['states', index, 'transitions']).map((element, at) => ({ element, at }));
  const path = ['states', index, 'transitions'] as const;
  return (
    <fieldset className="plain stack" aria-label={edit.transitions}>
      <h4>{edit.transitions}</h4>
      {transitions.map(({ element: transition, at }) => (
        <div key={at} className="edit-row">
          <input
            ref={at === added ? focus : undefined}
            aria-label={`${edit.condition} ${at + 1}`}
            placeholder={edit.condition}
            value={textAt(transition, ['condition'])}
            onChange={({ target }) => onEdit(withValue(document, [...path, at, 'condition'], target.value))}
          />
          <select
            aria-label={`${edit.destination} ${at + 1}`}
            value={textAt(transition, ['destination_state_name'])}
            onChange={({ target }) =>
              onEdit(withValue(document, [...path, at, 'destination_state_name'], target.value))
            }
          >
            {[...new Set([...names, textAt(transition, ['destination_state_name'])])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <Button
            aria-label={`${edit.removeTransition} ${at + 1}`}
            onClick={() => onEdit(withValue(document, [...path, at], undefined))}
          >
            ✕
          </Button>
        </div>
      ))}
      <div className="row">
        <Button
          onClick={() => {
            onEdit(withNewTransition(document, index, names[index + 1] ?? names[0] ?? ''));
            onAdded(transitions.length);
          }}
        >
          {edit.addTransition}
        </Button>
      </div>
    </fieldset>
  );
}

/** The same function at each rendering, so that it runs once for a field. */
function focus(field: HTMLInputElement | null): void {
  field?.focus();
}
