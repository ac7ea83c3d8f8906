import { SPANISH_NUMBERS } from '../../base/text/number-words.ts';
import { dictatedNumbers } from './dictated-numbers.ts';
import type { LanguagePack } from './language-pack.ts';
import { SPANISH_CLAUSES } from './spanish-clauses.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const SPANISH: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mm-hmm, hm, hmm, mm, mmm, ajá, aja, ajam, ah, ah ya, oh, uy, ok, okay, okey, sí, si, sí sí, ya, ya ya,
    ya veo, ya entiendo, vale, vale vale, claro, claro que sí, por supuesto, bueno, bien, muy bien, está bien,
    perfecto, estupendo, genial, fantástico, excelente, de acuerdo, entiendo, lo entiendo, entendido, comprendo,
    comprendido, ya lo sé, lo sé, exacto, exactamente, eso, eso es, así es, cierto, es cierto, es verdad, verdad,
    efectivamente, correcto, es correcto, en serio, listo, dale, órale, sale, sin problema, no hay problema,
    no pasa nada, siga, adelante, desde luego, qué bien`),
  attentionCalls: phraseSet(`
    hola, aló, oiga, oye, está ahí, está usted ahí, sigue ahí, sigue usted ahí, todavía está ahí, está allí,
    estás ahí, sigues ahí, todavía estás ahí, me oye, me oyes, me escucha, me escuchas, me está escuchando,
    me estás escuchando, puede oírme, puedes oírme, puede escucharme, hay alguien, hay alguien ahí`),
  stopPhrases: phraseSet(`
    para para, pare, pare por favor, para por favor, espera, espere, espérate, espéreme, un momento, un momentito,
    momentito, un segundo, un minuto, alto, no, perdón, perdona, perdone, disculpe, disculpa, lo siento, oiga, oye,
    escuche, déjeme hablar, déjame hablar, déjeme terminar, cállese, basta, olvídelo, olvídalo, en realidad, stop`),
  farewells: phraseSet(`
    no gracias, no muchas gracias, no eso es todo, no nada más, adiós, adios, chao, chau, ciao, bye, hasta luego,
    hasta pronto, hasta mañana, hasta ahora, hasta la vista, hasta el viernes, nos vemos, gracias, muchas gracias,
    muchísimas gracias, mil gracias, gracias a usted, gracias a ti, le agradezco, se lo agradezco, muy amable,
    igualmente, a usted, a ti, para usted también, usted también, buen día, buenos días, buenas tardes, buenas noches,
    buenas, que tenga buen día, que tenga un buen día, que tenga buena tarde, que tenga buena noche, que le vaya bien,
    que pase buen día, que pase un buen día, feliz día, saludos, cuídese, eso es todo, nada más, de nada`),
  clauses: SPANISH_CLAUSES,
  dictation: {
    ...dictatedNumbers(SPANISH_NUMBERS, 'doble triple'),
    ambiguous: wordSet('a e o u y un más'),
    alphabet: wordSet(`
      antonio burgos barcelona carmen dolores enrique francia gerona historia inés josé kilo lorenzo llobregat madrid
      navarra ñoño oviedo parís querido ramón sábado tarragona ulises valencia washington xiquena yegua zaragoza alfa
      bravo eco foxtrot golf hotel india julieta lima noviembre óscar papa quebec romeo sierra tango uniforme víctor
      whisky yanqui zulú`),
    letterLinks: phraseSet('de, como, como en'),
    atSign: wordSet('arroba at'),
    marks: wordSet('punto guion guión barra raya coma más almohadilla numeral slash subrayado'),
    streets: wordSet('calle avenida avda paseo plaza carretera camino ronda travesía callejón carrera'),
    streetEndings: [],
    streetNameFollows: true,
  },
  abbreviations: wordSet('sr sra srta dr dra ud uds av avda núm no tel aprox etc p.ej dpto ee.uu'),
  ordinalStop: false,
  apology: 'Lo siento, ha habido un problema por nuestra parte. Por favor, llame un poco más tarde. Adiós.',
  emptyResponseApology: 'Perdone, he perdido el hilo. ¿Podría repetirlo, por favor?',
  toolFiller: 'Un momento, por favor, sigo en ello.',
  thinkingFiller: 'Un momento, por favor.',
  answeringMachine: {
    introduction: [
      'ha llamado a|al',
      'está llamando a|al',
      'se ha comunicado con',
      'habla con|usted',
      'este|esta es',
      'le atiende',
      'soy',
      'bienvenido|bienvenidos|bienvenida a|al',
      'gracias por llamar|su',
    ],
    recording: ['después|tras … señal|tono|pitido|bip', 'deje … mensaje', 'grabe … mensaje', 'dejar … mensaje'],
    absence: [
      'buzón',
      'contestador',
      'correo de voz',
      'no puedo atender|contestar|responder',
      'no podemos atender|contestar|responder',
      'no estoy disponible',
      'no estamos disponibles',
    ],
    menu: [
      'pulse|marque|presione|oprima … uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|cero|asterisco|almohadilla|numeral|1|2|3|4|5|6|7|8|9|0',
      'menú principal',
      'siguientes opciones',
    ],
    screening: ['diga|indique|grabe … su nombre', 'motivo|razón de su llamada', 'por qué llama', 'filtrado'],
    announcement: [
      'apagado o fuera',
      'fuera de cobertura|servicio',
      'no existe',
      'no corresponde a ningún',
      'número que ha marcado|usted',
    ],
    pleaseWait: [
      'espere por favor',
      'por favor espere',
      'no cuelgue',
      'manténgase|permanezca … línea',
      'un momento por favor',
      'le comunico',
      'le paso',
      'transfiriendo',
    ],
  },
};
