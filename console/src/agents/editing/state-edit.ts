import { type DocumentPath, freeName, listAt, textAt, withElement, withValue } from '../document/document-edit.ts';
import { newTool, newToolName, type ToolType } from './new-tool.ts';

/** Each function returns the document after one change of its states, identified by their index. */

/** Adds a state without a way to it. The first one is where the conversation begins. */
export function withNewState(document: unknown): unknown {
  const states = listAt(document, ['states']);
  const name = freeName('state', states);
  const more = withElement(document, ['states'], { name, prompt: '' });
  return states.length === 0 ? withValue(more, ['initial_state_name'], name) : more;
}

/** Whether another state has the name. */
export function isTakenName(document: unknown, index: number, name: string): boolean {
  return listAt(document, ['states']).some((state, at) => at !== index && textAt(state, ['name']) === name);
}

/** Renames a state, also where transitions and the beginning name it. An empty name, or that of another state, is refused. */
export function withRenamedState(document: unknown, index: number, name: string): unknown {
  const before = textAt(document, ['states', index, 'name']);
  if (name === '' || name === before || isTakenName(document, index, name)) return document;
  const renamed = withValue(document, ['states', index, 'name'], name);
  const moved = mapTransitions(renamed, (transition) =>
    textAt(transition, ['destination_state_name']) === before
      ? [withValue(transition, ['destination_state_name'], name)]
      : [transition],
  );
  return textAt(moved, ['initial_state_name']) === before ? withValue(moved, ['initial_state_name'], name) : moved;
}

/** Removes a state and the transitions to it. */
export function withoutState(document: unknown, index: number): unknown {
  const name = textAt(document, ['states', index, 'name']);
  const fewer = mapTransitions(withValue(document, ['states', index], undefined), (transition) =>
    textAt(transition, ['destination_state_name']) === name ? [] : [transition],
  );
  if (textAt(fewer, ['initial_state_name']) !== name) return fewer;
  return withValue(fewer, ['initial_state_name'], textAt(fewer, ['states', 0, 'name']));
}

/** Adds a transition between two states. Its condition is still to be written. */
export function withNewTransition(document: unknown, index: number, destination: string): unknown {
  const transition = { condition: '', destination_state_name: destination };
  return withElement(document, ['states', index, 'transitions'], transition);
}

export function withNewTool(document: unknown, index: number, type: ToolType): unknown {
  const tools = listAt(document, ['states', index, 'tools']);
  return withElement(document, ['states', index, 'tools'], newTool(type, freeName(newToolName(type), tools)));
}

/** Adds a parameter whose value the model chooses to a tool. */
export function withNewParameter(document: unknown, tool: DocumentPath): unknown {
  const path = [...tool, 'parameters'];
  const name = freeName('parameter', listAt(document, path));
  return withElement(document, path, { name, type: 'string', description: '' });
}

interface Position {
  readonly x: number;
  readonly y: number;
}

/** By the names of the states. */
export type Positions = ReadonlyMap<string, Position>;

/** Keeps the positions of the states in the drawing, by their names. */
export function withPositions(document: unknown, positions: Positions): unknown {
  return listAt(document, ['states']).reduce<unknown>((changed, state, index) => {
    const position = positions.get(textAt(state, ['name']));
    if (position === undefined) return changed;
    const moved = withValue(changed, ['states', index, 'x_position'], Math.round(position.x));
    return withValue(moved, ['states', index, 'y_position'], Math.round(position.y));
  }, document);
}

function mapTransitions(document: unknown, change: (transition: unknown) => readonly unknown[]): unknown {
  return listAt(document, ['states']).reduce<unknown>((changed, state, index) => {
    const transitions = listAt(state, ['transitions']);
    return transitions.length === 0
      ? changed
      : withValue(changed, ['states', index, 'transitions'], transitions.flatMap(change));
  }, document);
}
