import type { Path } from '../base/path-map.ts';
import {
  Document,
  Pair,
  Scalar,
  YAMLMap,
  YAMLSeq,
  type CollectionTag,
  type Node,
  type ScalarTag,
} from 'yaml';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** Writes a mapping as readable YAML. A mapping for which `isInline` returns true, such as `{ name: … }`, is written on one line. */
export function yamlText(mapping: JsonObject, isInline: (path: Path) => boolean = () => false): string {
  document.contents = nodeOf(mapping, [], isInline);
  return document.toString({ lineWidth: 0 });
}

const document = new Document(null, {
  version: '1.2',
  schema: 'core',
  customTags: (tags) =>
    tags.map((tag) => (typeof tag !== 'string' && isText(tag) ? readableScalar(tag) : tag)),
});

function isText(tag: CollectionTag | ScalarTag): tag is ScalarTag {
  return tag.tag === 'tag:yaml.org,2002:str';
}

/** Writes strings as the YAML library does, except strings that people could not read or that editors would change. */
function readableScalar({ stringify, ...tag }: ScalarTag): ScalarTag {
  return {
    ...tag,
    stringify: (scalar, context, ...callbacks) => {
      const text = String(scalar.value);
      const isBlock = text.includes('\n') && !context.inFlow && !context.implicitKey;
      const isAsItIs =
        !command.test(text) && (isBlock ? !lostCharacters.test(text) : !invisibleCharacter.test(text));
      return (isAsItIs && stringify?.(scalar, context, ...callbacks)) || quoted(text);
    },
  };
}

function nodeOf(value: JsonValue, path: Path, isInline: (path: Path) => boolean): Node {
  if (isJsonList(value)) {
    const list = new YAMLSeq<Node>();
    list.items = value.map((item, index) => nodeOf(item, [...path, index], isInline));
    return list;
  }
  if (isJsonObject(value)) {
    const map = new YAMLMap<Node, Node>();
    map.items = Object.entries(value).map(
      ([key, inner]) => new Pair<Node, Node>(new Scalar(key), nodeOf(inner, [...path, key], isInline)),
    );
    map.flow = map.items.length === 0 || isInline(path);
    return map;
  }
  return new Scalar(value);
}

/** Invisible characters: control, format and private-use characters, unusual line endings, and changes of the text direction. */
const invisibleCharacter = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\ufffe\uffff]/u;
const eachUnseen = new RegExp(invisibleCharacter, 'gu');
/** Invisible characters, and characters that editors remove: blanks at the ends of lines, and empty first and last lines. */
const lostCharacters = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\ufffe\uffff]|[ \t](?:\n|$)|^\n|\n\n$/u;

/** Texts that CI systems interpret as commands in a log: `::…` at the start of a line, and `##…[` anywhere. */
const command = /^\s*::|##\w*\[/m;

/** A string in double quotes, in which invisible characters and commands of CI systems are escaped. */
function quoted(value: string): string {
  return JSON.stringify(value)
    .replace(eachUnseen, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16);
      return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
    })
    .replaceAll(/##(?=\w*\[)/g, String.raw`#\u0023`);
}
