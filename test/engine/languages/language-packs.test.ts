import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { dictationOf } from '../../../engine/completeness/dictation-detector.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { isBackchannel } from '../../../engine/languages/backchannel.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { consistsOfPhrases, containsPhrase } from '../../../engine/languages/phrase-matching.ts';
import { wordsOf } from '../../../engine/languages/words.ts';

/** Users pause this long within an open sentence. */
const OPEN_SENTENCE_PAUSE_MS = 1_200;

interface Examples {
  readonly backchannels: readonly string[];
  readonly noBackchannels: readonly string[];
  readonly stops: readonly string[];
  readonly noStops: readonly string[];
  readonly farewells: readonly string[];
  readonly noFarewells: readonly string[];
  readonly unfinished: readonly string[];
  readonly digits: readonly string[];
  readonly spelling: readonly string[];
  readonly email: readonly string[];
  readonly address: readonly string[];
  readonly noDictation: readonly string[];
}

const EXAMPLES: Readonly<Record<string, Examples>> = {
  en: {
    backchannels: ['Mm-hmm.', 'Okay, right.', 'I see', 'Oh okay, got it.', 'that makes sense', 'No problem.'],
    noBackchannels: ['I', 'see you', 'right now', 'okay but how much is it', 'no'],
    stops: ['Stop', 'Hold on a second', 'Sorry, what was that', 'wait wait', 'one moment please'],
    noStops: ['hold', 'the moment', 'a second table'],
    farewells: ['Bye bye', 'Okay, thank you very much, goodbye.', 'You too, have a nice day', "That's all, thanks."],
    noFarewells: ['you', 'have a table', 'thanks, one more thing'],
    unfinished: ['my name is', 'I would like a table and', 'because', 'It is for um', 'I am looking for the'],
    digits: ['five five three', 'my number is 0 1 5', 'double seven', 'it starts with 0151', 'five five three and'],
    spelling: ['M U', 'B as in Bob', 'bravo charlie', 'R for', 'A B 4'],
    email: ['john dot', 'john@gmail', 'john dot smith at', 'john at gmail', 'j underscore', 'ann@'],
    address: ['12 Oak Street', 'Oak Street 12', 'number 221 Baker Street', 'apartment 4'],
    noDictation: [
      'at seven thirty',
      'for four',
      'I need a 4',
      'in 1985',
      'I can drive',
      'john@gmail.com',
      'john at gmail dot com',
      'see you at home',
      'twenty five',
    ],
  },
  fr: {
    backchannels: ['Mhm.', "Oui, d'accord.", 'je vois', 'Ah bon', 'très bien, tout à fait', 'pas de souci'],
    noBackchannels: ['je', 'vois', 'très', 'oui mais combien', 'non'],
    stops: ['Attendez', 'Non, pas demain', 'Excusez-moi', 'une seconde', 'Pardon ?'],
    noStops: ['la seconde table', 'le moment'],
    farewells: ['Au revoir, bonne journée.', 'Merci beaucoup', "D'accord, merci, à bientôt", 'Vous aussi'],
    noFarewells: ['vous', 'bonne', 'merci, encore une question'],
    unfinished: ["mon nom c'est", 'Je voudrais une table pour', 'et', 'parce que', 'euh', 'je viens avec le'],
    digits: ['zéro six', 'zéro six douze trente-quatre', 'vingt et un dix deux', '06 12', 'six trois et'],
    spelling: ['M A R', 'B comme Berthe', 'anatole berthe', 'D comme'],
    email: ['jean point', 'jean arobase', 'jean.dupont@gmail', 'jean tiret'],
    address: ['12 rue de Rivoli', 'avenue Foch 8', 'rue Victor Hugo'],
    noDictation: [
      'à dix-neuf heures trente',
      'pour quatre',
      'il y a',
      'jean arobase gmail point com',
      'en 1985',
      'vingt et un',
    ],
  },
  de: {
    backchannels: ['Mhm.', 'Ja genau', 'Ach so, verstehe.', 'alles klar', 'ja ja, in Ordnung', 'kein Problem'],
    noBackchannels: ['ich', 'klar ist das nicht', 'ja aber wann', 'nein'],
    stops: ['Stopp', 'Moment mal', 'Nein, am Montag', 'Entschuldigung', 'warten Sie bitte'],
    noStops: ['momentan', 'die Haltestelle'],
    farewells: ['Auf Wiederhören', 'Danke, gleichfalls, tschüss', 'Vielen Dank, schönen Tag noch', 'ja, danke, ciao'],
    noFarewells: ['auf', 'schönen', 'danke, noch eine Frage'],
    unfinished: ['mein Name ist', 'Ich hätte gern einen Tisch und', 'weil', 'äh', 'für die', 'also'],
    digits: ['null eins sieben', 'fünf zwo', '0171', 'dreiundzwanzig fünfzehn acht', 'eins zwei und'],
    spelling: ['M Ü', 'A wie Anton', 'berta dora', 'S wie'],
    email: ['max punkt', 'max at', 'max.muster@gmx', 'max unterstrich'],
    address: ['Hauptstraße', 'Hauptstraße 12', 'Berliner Straße', 'Am Kirchweg'],
    noDictation: [
      'um neunzehn Uhr dreißig',
      'für vier',
      'ich bin weg',
      'max at gmx punkt de',
      'dreiundzwanzig',
      'noch Platz',
    ],
  },
  es: {
    backchannels: ['Ajá', 'Sí, claro que sí', 'vale vale', 'ya veo', 'muy bien, de acuerdo', 'no hay problema'],
    noBackchannels: ['muy', 'sí pero cuándo', 'no'],
    stops: ['Espere', 'No, el lunes', 'un momento', 'Disculpe', 'pare por favor'],
    noStops: ['es para mañana', 'el momento'],
    farewells: ['Adiós', 'Muchas gracias, hasta luego', 'Igualmente, que tenga un buen día', 'Vale, chao'],
    noFarewells: ['que', 'buenas noticias', 'gracias, otra pregunta'],
    unfinished: ['mi nombre es', 'Quiero una mesa para', 'y', 'porque', 'eh', 'con los'],
    digits: ['seis cinco cuatro', 'doble tres', 'treinta y uno cero dos', '612 34', 'uno dos y'],
    spelling: ['M R', 'B de Barcelona', 'carmen dolores', 'C como'],
    email: ['juan punto', 'juan arroba', 'juan.perez@gmail', 'juan guion'],
    address: ['calle Mayor', 'calle Mayor 5', 'avenida de la Constitución', 'calle Gran Vía 12'],
    noDictation: ['a las siete treinta', 'para cuatro', 'juan arroba gmail punto com', 'treinta y uno', 'en la calle'],
  },
  it: {
    backchannels: ['Mhm', 'Sì, certo', 'va bene, ho capito', 'ah ok', 'perfetto, d’accordo', 'non c’è problema'],
    noBackchannels: ['va', 'sì ma quando', 'no'],
    stops: ['Aspetti', 'No, lunedì', 'un attimo', 'Mi scusi', 'basta'],
    noStops: ['fermata', 'al momento'],
    farewells: ['Arrivederci', 'Grazie mille, buona giornata', 'Altrettanto, a presto', 'va bene, grazie, ciao ciao'],
    noFarewells: ['buona', 'a', 'grazie, un’altra domanda'],
    unfinished: ['il mio nome è', 'Vorrei un tavolo per', 'e', 'perché', 'ehm', 'con il'],
    digits: ['tre tre nove', 'doppio sette', 'ventuno trentadue quattro', '339', 'uno due e'],
    spelling: ['M R', 'A come Ancona', 'bologna como', 'D come'],
    email: ['mario punto', 'mario chiocciola', 'mario.rossi@libero', 'mario trattino'],
    address: ['via Roma', 'via Roma 10', 'piazza del Duomo', 'corso Vittorio Emanuele 3'],
    noDictation: ['alle sette e trenta', 'per quattro', 'vado via', 'mario chiocciola gmail punto com', 'ventuno'],
  },
  pt: {
    backchannels: ['Uhum', 'Sim, claro', 'tá bom, entendi', 'pois é', 'com certeza', 'não tem problema'],
    noBackchannels: ['com', 'sim mas quando', 'não'],
    stops: ['Espera aí', 'Não, segunda', 'um momento', 'Desculpe', 'só um minuto'],
    noStops: ['é para amanhã', 'no momento'],
    farewells: ['Tchau', 'Muito obrigada, até logo', 'Igualmente, bom dia', 'tá bom, obrigado, tchau tchau'],
    noFarewells: ['até', 'bom', 'obrigado, outra pergunta'],
    unfinished: ['meu nome é', 'Queria uma mesa para', 'e', 'porque', 'hum', 'com os'],
    digits: ['nove oito sete', 'três meia', 'vinte e um zero dois', '912', 'dois três e'],
    spelling: ['M R', 'B de bola', 'casa dado', 'D de'],
    email: ['joão ponto', 'joão arroba', 'joao.silva@uol', 'joão underline'],
    address: ['rua Augusta', 'rua Augusta 100', 'avenida da Liberdade', 'travessa do Fala 3'],
    noDictation: ['às sete e trinta', 'para quatro', 'joão arroba gmail ponto pt', 'vinte e um', 'na rua'],
  },
  nl: {
    backchannels: ['Mhm', 'Ja precies', 'oké, snap ik', 'dat klopt', 'ja hoor, prima', 'geen probleem'],
    noBackchannels: ['dat', 'ja maar wanneer', 'nee'],
    stops: ['Wacht even', 'Nee, maandag', 'een momentje', 'Sorry', 'stop'],
    noStops: ['het momentum', 'de wachtlijst'],
    farewells: ['Tot ziens', 'Dank u wel, fijne dag nog', 'Van hetzelfde, doei', 'oké, bedankt, dag'],
    noFarewells: ['fijne', 'tot', 'bedankt, nog een vraag'],
    unfinished: ['mijn naam is', 'Ik wil een tafel voor', 'en', 'omdat', 'ehm', 'met de'],
    digits: ['nul zes', 'dubbel zeven', 'drieëntwintig vijftien acht', '06', 'twee drie en'],
    spelling: ['M R', 'A van Anton', 'bernard cornelis', 'D van'],
    email: ['jan punt', 'jan apenstaartje', 'jan.jansen@ziggo', 'jan streepje'],
    address: ['Kerkstraat', 'Kerkstraat 12', 'Keizersgracht', 'Dorpsstraat 3'],
    noDictation: ['om half acht', 'voor vier', 'ik ben weg', 'jan apenstaartje gmail punt nl', 'drieëntwintig'],
  },
};

const languages = Object.entries(EXAMPLES).map(([tag, examples]) => ({ tag, examples, language: languagePack(tag) }));

describe.each(languages)('$tag', ({ examples, language }) => {
  it.each(examples.backchannels)('«%s» is a backchannel', (text) => {
    expect(isBackchannel(wordsOf(text), language)).toBe(true);
  });
  it.each(examples.noBackchannels)('«%s» is more than a backchannel', (text) => {
    expect(isBackchannel(wordsOf(text), language)).toBe(false);
  });
  it.each(examples.stops)('«%s» contains a stop phrase', (text) => {
    expect(containsPhrase(wordsOf(text), language.stopPhrases)).toBe(true);
  });
  it.each(examples.noStops)('«%s» contains no stop phrase', (text) => {
    expect(containsPhrase(wordsOf(text), language.stopPhrases)).toBe(false);
  });
  it.each(examples.farewells)('«%s» is a farewell', (text) => {
    const farewellsAndBackchannels = new Set([...language.farewells, ...language.backchannels]);
    expect(consistsOfPhrases(wordsOf(text), farewellsAndBackchannels)).toBe(true);
    expect(consistsOfPhrases(wordsOf(text), language.backchannels)).toBe(false);
  });
  it.each(examples.noFarewells)('«%s» is no farewell', (text) => {
    expect(consistsOfPhrases(wordsOf(text), language.farewells)).toBe(false);
  });
  it.each(examples.unfinished)('«%s» is unfinished', (text) => {
    expect(pauseMsOf(completeness(text, language, NO_EXPECTATION))).toBeGreaterThan(OPEN_SENTENCE_PAUSE_MS);
  });
  it.each(examples.backchannels)('«%s» is not unfinished', (text) => {
    expect(pauseMsOf(completeness(text, language, NO_EXPECTATION))).toBeLessThan(OPEN_SENTENCE_PAUSE_MS);
  });
  it.each(['digits', 'spelling', 'email', 'address'] as const)('%s are recognised as dictation', (kind) => {
    for (const text of examples[kind]) expect({ text, kind: dictationOf(text, language) }).toEqual({ text, kind });
  });
  it.each(examples.noDictation)('«%s» is no dictation', (text) => {
    expect(dictationOf(text, language)).toBeNull();
  });
  it('has its phrases in the form of comparison: lower case, composed, without punctuation', () => {
    const { streetEndings: _, streetNameFollows: __, ...dictation } = language.dictation;
    const { backchannels, stopPhrases, farewells, clauses } = language;
    const { dictationLeads, phrases, spoken, verbFinal: ___, ...clauseWords } = clauses;
    const { adjectiveFirst: ____, ...phraseWords } = phrases;
    const { topics, leadIns, copulas, statements, confirmations, months, tens } = dictationLeads;
    const leads = [
      ...Object.values(topics),
      ...Object.values(leadIns),
      copulas,
      statements,
      confirmations,
      months,
      tens,
    ];
    const lists = [
      backchannels,
      stopPhrases,
      farewells,
      ...Object.values(dictation),
      ...Object.values(clauseWords),
      ...Object.values(phraseWords),
      ...Object.values(spoken),
      ...leads,
    ];
    for (const phrase of lists.flatMap((list) => [...list])) expect(wordsOf(phrase).join(' ')).toBe(phrase);
  });
  it('has an apology of complete sentences', () => {
    expect(language.apology).toMatch(/^\p{Lu}.*\.$/u);
  });
});

it('the region of a language is ignored, and an unknown language is treated as English', () => {
  expect(languagePack('pt-BR')).toBe(languagePack('pt'));
  expect(languagePack('NL')).toBe(languagePack('nl'));
  expect(languagePack('xx')).toBe(languagePack('en'));
});
