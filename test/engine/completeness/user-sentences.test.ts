import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const WHOLE_MS_MAX = 500;
const OPEN_MS_MIN = 1_000;

type Examples = Readonly<Record<string, readonly string[]>>;

/** The texts that do not end as expected. */
function otherThan(expected: 'open' | 'whole', examples: Examples, question = ''): readonly string[] {
  return Object.entries(examples).flatMap(([language, texts]) =>
    texts.filter((text) => {
      const ms = pauseMsOf(completeness(text, languagePack(language), { ...NO_EXPECTATION, question }));
      return expected === 'open' ? ms < OPEN_MS_MIN : ms > WHOLE_MS_MAX;
    }),
  );
}

describe('a user who gains time', () => {
  const QUESTION = 'Shall I?';
  const GAINS: Examples = {
    en: [
      'One moment, please.',
      'just a second',
      'Hold on, let me get my card.',
      'let me check',
      "I'll just have a look",
    ],
    de: ['Einen Moment bitte.', 'Warten Sie, ich hole die Karte.', 'ich muss kurz nachsehen', 'ich guck mal nach'],
    es: ['A ver, un momento.', 'Espere, que busco la tarjeta.', 'déjeme mirar', 'voy a buscarlo'],
    fr: ["Un instant, s'il vous plaît.", 'Attendez, je regarde.', 'laissez-moi regarder', 'il faut que je vérifie'],
    it: ['Un attimo, per favore.', 'Aspetti, guardo un attimo.', 'mi faccia vedere', 'devo controllare'],
    nl: ['Een moment alstublieft.', 'Wacht, ik pak even mijn kaart.', 'ik moet even kijken', 'Even kijken hoor.'],
    pt: ['Um momento, por favor.', 'Espera, deixa eu ver.', 'vou verificar', 'deixa-me ver'],
  };

  it('goes on after it to answer a question', () => {
    expect(otherThan('open', GAINS, QUESTION)).toEqual([]);
    expect(otherThan('open', { en: ['well'], de: ['also'], it: ['allora'], nl: ['nou'] }, QUESTION)).toEqual([]);
  });

  it('says what the agent waits for', () => {
    const reasons: Examples = {
      en: ['just give me a second'],
      de: ['sekunde ich hol den brief'],
      es: ['un segundito que busco el papel'],
      fr: ['une petite seconde je cherche le papier'],
      nl: ['een secondje ik zoek de brief'],
      pt: ['um segundinho que eu procuro o papel'],
    };
    expect(otherThan('open', reasons, QUESTION)).toEqual([]);
    expect(
      otherThan('whole', { de: ['moment ich möchte den blauen'], en: ['wait i want the blue one'] }, QUESTION),
    ).toEqual([]);
  });

  it('is answered without a question, and where the agent only offers help', () => {
    expect(otherThan('whole', { en: ['One moment, please.', 'let me check'] })).toEqual([]);
    expect(otherThan('whole', { en: ['let me check'] }, 'How can I help you?')).toEqual([]);
  });

  it('has no answer in the same words', () => {
    const answers: Examples = {
      en: ["i'll go with the blue one", 'let me check in on the seventh of march', 'wait can i change that'],
      de: ['moment das stimmt nicht', 'ich hole es morgen ab'],
      fr: ['voilà'],
      it: ['niente'],
    };
    expect(otherThan('whole', answers, QUESTION)).toEqual([]);
  });
});

describe('a verb that comes last', () => {
  it('closes a clause that has a subject and more before it', () => {
    const clauses: Examples = {
      de: [
        'weil es kaputt ist',
        'weil ich umgezogen bin',
        'ich glaube dass das Gerät kaputt ist',
        'ob ich kommen kann',
      ],
      nl: ['omdat hij kapot is', 'omdat ik verhuisd ben', 'ik denk dat het apparaat kapot is'],
    };
    expect(otherThan('whole', clauses)).toEqual([]);
  });

  it('leaves a clause open right after its subject', () => {
    const clauses: Examples = { de: ['weil es ist', 'weil mein Internet ist'], nl: ['omdat mijn internet is'] };
    expect(otherThan('open', clauses)).toEqual([]);
  });

  it('leaves a new main clause open, with and without a full stop', () => {
    const clauses: Examples = {
      de: ['ich habe ein Sofa bestellt und das ist', 'Ich habe ein Sofa bestellt und das ist.'],
      nl: ['ik heb een bank besteld en die is', 'Ik heb een bank besteld en die is.'],
    };
    expect(otherThan('open', clauses)).toEqual([]);
    expect(otherThan('whole', { de: ['Sag mir, was es ist und wo das ist.'] })).toEqual([]);
  });
});

describe('a subject after its verb', () => {
  it('ends a sentence of three words', () => {
    const sentences: Examples = { de: ['den nehme ich', 'morgen komme ich'], nl: ['die neem ik', 'ja dat doe ik'] };
    expect(otherThan('whole', sentences)).toEqual([]);
  });

  it('needs more after an auxiliary', () => {
    expect(otherThan('open', { de: ['den könnte ich', 'morgen möchte ich'], nl: ['die zou ik'] })).toEqual([]);
  });
});

describe('an object without the verb that comes last', () => {
  it('is open after a modal verb', () => {
    const sentences: Examples = {
      de: ['ich kann meine Rechnung', 'ich könnte den Termin am Freitag', 'mein Sohn muss seinen Ausweis'],
      nl: ['ik moet mijn afspraak', 'jullie zouden mij vorige week een brief', 'mijn zoon moet zijn paspoort'],
    };
    expect(otherThan('open', sentences)).toEqual([]);
    expect(otherThan('open', { de: ['Ja, ich würde gerne meinen Termin am Donnerstag.'] })).toEqual([]);
  });

  it('is open after a wish if it is the user’s own', () => {
    expect(otherThan('open', { de: ['ich möchte meinen Termin'], nl: ['ik wil graag mijn afspraak'] })).toEqual([]);
    expect(otherThan('whole', { de: ['ich möchte einen neuen Vertrag'], nl: ['ik wil een nieuw contract'] })).toEqual(
      [],
    );
  });

  it.each([
    ['with the verb', { de: ['ich kann meine Rechnung bezahlen'], nl: ['ik moet mijn contract opzeggen'] }],
    ['with a negation', { de: ['ich kann den Termin nicht'], nl: ['ik kan de afspraak niet'] }],
    ['if it is a time', { de: ['ich kann den ganzen Tag'] }],
    ['without an object', { de: ['ich kann am Montag'], nl: ['ik moet naar de dokter'] }],
    ['with another verb', { de: ['ich brauche meinen Ausweis'] }],
  ])('is whole %s', (_, sentences) => {
    expect(otherThan('whole', sentences)).toEqual([]);
  });
});

describe('an auxiliary without its participle', () => {
  it('is open before a past time', () => {
    expect(otherThan('open', { de: ['wir sind gestern mit dem Auto', 'er ist letzte Woche'] })).toEqual([]);
    expect(otherThan('open', { nl: ['wij zijn gisteren met de auto', 'ik ben vorige week'] })).toEqual([]);
    const whole: Examples = {
      de: ['die Rechnung ist von gestern', 'ich war gestern beim Arzt', 'ich bin gestern operiert worden'],
      nl: ['de factuur is van gisteren', 'ik was gisteren bij de dokter'],
    };
    expect(otherThan('whole', whole)).toEqual([]);
  });

  it('is open before «not yet», unless its object comes first or a question precedes', () => {
    const sentences: Examples = { de: ['der Techniker hat noch nicht', 'ja wir haben noch nicht'] };
    expect(otherThan('open', sentences)).toEqual([]);
    expect(otherThan('open', { nl: ['de monteur heeft nog niet'] })).toEqual([]);
    expect(otherThan('whole', { de: ['das habe ich noch nicht', 'noch nicht'] })).toEqual([]);
    expect(otherThan('whole', { de: ['nein ich habe noch nicht'] }, 'Haben Sie bezahlt?')).toEqual([]);
  });
});

describe('a conjunction and pronouns', () => {
  it('are open without their verb', () => {
    expect(otherThan('open', { de: ['ich wollte fragen ob sie mir'], nl: ['ik wou vragen of jullie mij'] })).toEqual(
      [],
    );
  });
});

describe('a possessive', () => {
  it('begins a noun phrase after a preposition', () => {
    expect(otherThan('open', { de: ['ich habe gestern mit ihrem Kollegen'] })).toEqual([]);
  });
});

describe('a relative clause that names the thing itself', () => {
  it('is whole after a form of «be» or a negation', () => {
    const sentences: Examples = {
      en: ["that's what i'm looking for", "that's what they're here for", "i'm not sure what i need"],
      de: ['ich weiß nicht was ich brauche'],
      es: ['eso es lo que busco', 'es lo que necesito', 'no sé lo que necesito'],
      fr: ["c'est ce que je cherche", "c'est tout ce que je veux", 'je ne sais pas ce que je cherche'],
      it: ['è quello che cerco', 'non so quello che cerco'],
      nl: ['dat is wat ik zoek', 'ik weet niet wat ik zoek'],
      pt: ['é isso que eu procuro', 'não sei o que eu preciso'],
    };
    expect(otherThan('whole', sentences)).toEqual([]);
  });

  it('is open as the subject', () => {
    const sentences: Examples = {
      en: ['no what i need', 'so what i want', 'the thing is that what i need'],
      de: ['nein was ich brauche', 'was ich brauche ist'],
      es: ['no lo que necesito', 'la verdad es que lo que quiero'],
      nl: ['dus wat ik zoek', 'wat ik nodig heb is', 'wat ik wilde vragen is'],
    };
    expect(otherThan('open', sentences)).toEqual([]);
  });

  it('is no clause that a conjunction begins', () => {
    const sentences: Examples = {
      es: ['la cosa es que quiero'],
      fr: ["le truc c'est que je veux"],
      pt: ['o fato é que eu quero'],
    };
    expect(otherThan('open', sentences)).toEqual([]);
  });
});

describe('a clause that answers the question', () => {
  it('is whole with subject and auxiliary', () => {
    expect(otherThan('whole', { en: ['whenever you can', 'whenever you want'] }, 'When shall we call?')).toEqual([]);
    expect(otherThan('whole', { de: ['wann Sie wollen'] }, 'Wann sollen wir anrufen?')).toEqual([]);
    expect(otherThan('whole', { fr: ['quand vous voulez'] }, 'Quand pouvons-nous vous rappeler ?')).toEqual([]);
    expect(otherThan('whole', { it: ['quando vuole'] }, 'Quando la richiamiamo?')).toEqual([]);
    expect(otherThan('whole', { nl: ['wanneer u kunt'] }, 'Wanneer zullen we bellen?')).toEqual([]);
  });

  it('is open after another question, and in more words', () => {
    expect(otherThan('open', { en: ['whenever you want'] }, 'Shall I?')).toEqual([]);
    expect(otherThan('open', { en: ['when can', 'when my wife can'] }, 'When shall we call?')).toEqual([]);
  });

  it('is whole as a courtesy', () => {
    const courtesies: Examples = {
      en: ["if you don't mind", "if that's ok"],
      de: ['wenn das geht'],
      es: ['si es tan amable', 'si puede ser'],
      fr: ['si vous voulez bien', "si c'est possible"],
      it: ['se è possibile'],
      nl: ['als dat kan', 'als het kan'],
      pt: ['se não se importa'],
    };
    expect(otherThan('whole', courtesies, 'OK?')).toEqual([]);
  });
});

describe('the person in an account of what happened', () => {
  it.each([
    ['en', 'the guy who came yesterday', 'What happened?'],
    ['de', 'der Mann der gestern da war', 'Was ist passiert?'],
    ['es', 'el señor que vino ayer', '¿Qué ha pasado?'],
    ['fr', 'le monsieur qui est passé hier', "Que s'est-il passé ?"],
    ['it', 'il signore che è venuto ieri', 'Che cosa è successo?'],
    ['nl', 'de man die gisteren kwam', 'Wat is er gebeurd?'],
    ['pt', 'o senhor que veio ontem', 'O que aconteceu?'],
  ])('is no answer yet (%s: «%s»)', (language, text, question) => {
    expect(otherThan('open', { [language]: [text] }, question)).toEqual([]);
  });

  it('answers who or which', () => {
    expect(otherThan('whole', { en: ['the one who called you'] }, 'Which technician?')).toEqual([]);
    expect(otherThan('whole', { es: ['el que me atendió ayer'] }, '¿Con qué técnico habló?')).toEqual([]);
  });
});

describe('a time with its relative clause', () => {
  it('is open without a question', () => {
    const times: Examples = {
      en: ['the last time that I called'],
      es: ['la última vez que llamé'],
      fr: ["la dernière fois que j'ai appelé"],
      it: ["l'ultima volta che ho chiamato"],
      pt: ['a última vez que eu liguei'],
    };
    expect(otherThan('open', times)).toEqual([]);
    expect(otherThan('whole', { es: ['la última vez que llamé'] }, '¿Cuándo funcionó?')).toEqual([]);
    expect(otherThan('whole', { es: ['la semana que viene', 'esta mañana llamé'], pt: ['a semana que vem'] })).toEqual(
      [],
    );
  });
});

describe('a conjunction and a time', () => {
  it('are open without a clause', () => {
    const clauses: Examples = {
      en: ['because last time'],
      de: ['weil beim letzten Mal'],
      es: ['porque la última vez'],
      fr: ['parce que la dernière fois'],
      it: ["perché l'ultima volta"],
      nl: ['omdat de vorige keer'],
      pt: ['porque da última vez'],
    };
    expect(otherThan('open', clauses, 'OK?')).toEqual([]);
    expect(otherThan('whole', { en: ['since last week', 'I know that now'], it: ['perché no'] })).toEqual([]);
  });
});

describe('the last words of a sentence', () => {
  it.each([
    ['announce more', { en: ['oh and another thing'], de: ['ach und noch was'], es: ['ah y otra cosa'] }],
    ['announce more', { fr: ['ah et autre chose'], it: ["ah e un'altra cosa"], nl: ['o ja en nog iets'] }],
    ['announce more', { pt: ['ah e outra coisa'] }],
    ['are a conjunction', { es: ['les llamo en cuanto'], it: ['richiamo appena'], nl: ['ik bel terug zodra'] }],
    ['are an adjective before its noun', { en: ['i need a new'], es: ['necesito un nuevo'] }],
    ['are half a time', { en: ['Half past.', 'at half past'] }],
    ['are a negation without its verb', { it: ['Il pacco è arrivato e non.'], pt: ['O pacote chegou mas não.'] }],
    ['are a negation without its verb', { fr: ["J'ai commandé un canapé et je n'ai."] }],
    ['are a clause after another one', { nl: ['de reden dat ik bel is dat'], fr: ["est-ce qu'il serait possible"] }],
  ])('leave it open if they %s', (_, sentences) => {
    expect(otherThan('open', sentences)).toEqual([]);
  });

  it.each([
    ['wish a good day', { de: ['schönen Tag noch'], nl: ['fijne dag nog'] }],
    ['ask', { de: ['was noch', 'Was meinen Sie damit?'], nl: ['bent u er nog'], it: ['quanto ci vuole'] }],
    ['ask', { en: ['how long will it take'], fr: ["qu'est-ce que c'est"] }],
    ['belong to their verb', { en: ["it's not turning on"], de: ['am Montag fange ich an'] }],
    ['have no preference', { es: ['me da igual'] }],
    ['are a possessive only by their letters', { de: ['Ich weiß nicht, was Sie meinen.'] }],
    ['name another thing', { en: ['yes just that'], es: ['quiero otra cosa'], fr: ["c'est autre chose"] }],
    ['deny', { it: ['No, non ancora.'] }],
  ])('close it if they %s', (_, sentences) => {
    expect(otherThan('whole', sentences)).toEqual([]);
  });
});

describe('a street', () => {
  const pauseMs = (language: string, text: string) =>
    pauseMsOf(completeness(text, languagePack(language), NO_EXPECTATION));
  const PLACE_FOLLOWS_MS = 1_300;

  it('may be followed by its place once it has a number', () => {
    expect(pauseMs('de', 'Lindenstraße 14.')).toBe(PLACE_FOLLOWS_MS);
    expect(pauseMs('es', 'Calle Mayor 14.')).toBe(PLACE_FOLLOWS_MS);
    expect(pauseMs('fr', '14 rue de la République.')).toBe(PLACE_FOLLOWS_MS);
  });

  it('is followed by its number or name', () => {
    expect(pauseMs('de', 'Lindenstraße')).toBeGreaterThan(PLACE_FOLLOWS_MS);
    expect(pauseMs('es', 'Calle Mayor')).toBeGreaterThan(PLACE_FOLLOWS_MS);
    expect(pauseMs('fr', '14 rue')).toBeGreaterThan(PLACE_FOLLOWS_MS);
  });
});
