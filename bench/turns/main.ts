import { type HeldOut, labelledSounds, labelledTurns } from '../../fixtures/turns/labelled-turns.ts';
import { loadVoiceClassifiers } from '../../sip/media/detection/voice-activity.ts';
import { Report } from '../report.ts';
import { heardTurn } from './heard-turn.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { TURN_RULES, type TurnRules } from './rules.ts';

/**
 * False cut-ins against response delay on the labelled turns of `fixtures/turns/`: fixed pauses, completeness, and
 * completeness without each part. No clock runs: the same code always gives the same table.
 *
 *     node bench/turns/main.ts
 */
const turns = labelledTurns();
const sounds = labelledSounds();
const classifier = await loadVoiceClassifiers();
const report = new Report('turns');
const details = TURN_RULES.map((rules) => {
  const tuned = textOutcome(rules, undefined);
  const heldOut = textOutcome(rules, 'first');
  const second = textOutcome(rules, 'second');
  const third = textOutcome(rules, 'third');
  const fourth = textOutcome(rules, 'fourth');
  const heard = soundOutcome(rules);
  report.add({
    rules: rules.name,
    'cut-ins': share(tuned),
    'delay p50 ms': tuned.delayP50Ms,
    'mean ms': tuned.delayMeanMs,
    'cut-ins, held out': share(heldOut),
    'p50 ms, held out': heldOut.delayP50Ms,
    'mean ms, held out': heldOut.delayMeanMs,
    'cut-ins, second held out': share(second),
    'p50 ms, second': second.delayP50Ms,
    'mean ms, second': second.delayMeanMs,
    'cut-ins, third held out': share(third),
    'mean ms, third': third.delayMeanMs,
    'cut-ins, fourth held out': share(fourth),
    'mean ms, fourth': fourth.delayMeanMs,
    'cut-ins, sounds': share(heard),
    'p50 ms, sounds': heard.delayP50Ms,
  });
  return { rules: rules.name, tuned, heldOut, second, third, fourth, heard };
});
report.note(
  `${turns.length} texts and ${sounds.length} sounds in seven languages. Cut-ins: turns ended before the user went on, of the open ones.`,
);
report.note('Delay: from the end of speech to the end of the turn, of the complete turns.');
report.note(
  'Held out: the first part was never looked at while the rules were tuned; the others were written before they changed. Sounds: with the voice activity that media reports.',
);
await report.finish({ rows: details });

function textOutcome({ pauseMs }: TurnRules, heldOut: HeldOut | undefined): Outcome {
  const chosen = turns.filter((turn) => turn.heldOut === heldOut);
  return outcomeOf(chosen.map((turn) => ({ pauseMs: turn.pauseMs, endedAfterMs: pauseMs(turn) })));
}

function soundOutcome({ pauseMs }: TurnRules): Outcome {
  return outcomeOf(sounds.map((sound) => heardTurn(sound, pauseMs(sound), classifier())));
}

function share({ falseCutIns, open }: Outcome): string {
  return `${falseCutIns} of ${open}`;
}
