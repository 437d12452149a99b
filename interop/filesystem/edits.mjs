// Edits: the text before, what is replaced by what, and the text afterwards; none where the edit can't be meant, so that
// nothing may change.

const long = 'x'.repeat(5000);

export const EDITS = [
  ['a word', 'one two\n', [['two', '2']], 'one 2\n'],
  ['a line', 'a\nb\nc\n', [['b\n', 'B\n']], 'a\nB\nc\n'],
  ['several lines', 'a\nb\nc\n', [['a\nb', 'x']], 'x\nc\n'],
  ['a line removed', 'a\nb\nc\n', [['b\n', '']], 'a\nc\n'],
  ['a line added', 'a\nb\n', [['a', 'a\na2']], 'a\na2\nb\n'],
  ['everything removed', 'a\n', [['a\n', '']], ''],
  ['no last line end', 'a\nb', [['b', 'c']], 'a\nc'],
  ['a last line end added', 'a', [['a', 'a\n']], 'a\n'],
  ['a tab', '\ta\n', [['\ta', '\tb']], '\tb\n'],
  ['letters of other scripts', 'naïve 日本\n', [['日', '二']], 'naïve 二本\n'],
  ['what would be a pattern', 'a.c abc $1', [['a.c', '$&$1']], '$&$1 abc $1'],
  ['a long line', `${long}a\n`, [['a', 'b']], `${long}b\n`],
  ['two edits', 'a b\n', [['a', '1'], ['b', '2']], '1 2\n'],
  ['two edits, the later place first', 'a b\n', [['b', '2'], ['a', '1']], '1 2\n'],

  ['CRLF stays around the edit', 'a\r\nb\r\nc\r\n', [['b', 'x']], 'a\r\nx\r\nc\r\n'],
  ['CRLF, lines given with LF', 'a\r\nb\r\nc\r\n', [['a\nb', '1\n2']], '1\r\n2\r\nc\r\n'],
  ['CRLF, lines given with CRLF', 'a\r\nb\r\nc\r\n', [['a\r\nb', '1\r\n2']], '1\r\n2\r\nc\r\n'],
  ['LF, lines given with CRLF', 'a\nb\nc\n', [['a\r\nb', '1\r\n2']], '1\n2\nc\n'],
  ['CRLF, a line removed', 'a\r\nb\r\n', [['a\n', '']], 'b\r\n'],
  ['CRLF, a line added', 'a\r\nb\r\n', [['b', 'b\nc']], 'a\r\nb\r\nc\r\n'],
  ['both line ends in one file', 'a\r\nb\nc\r\n', [['a', 'x']], 'x\r\nb\nc\r\n'],
  ['CR alone', 'a\rb\r', [['b', 'c']], 'a\rc\r'],
  ['CRLF, two edits', 'a\r\nb\r\n', [['a', '1'], ['b', '2']], '1\r\n2\r\n'],

  ['a mark stays', '\ufeffa\n', [['a', 'b']], '\ufeffb\n'],
  ['a mark and CRLF', '\ufeffa\r\nb\r\n', [['b', 'c']], '\ufeffa\r\nc\r\n'],
  ['a mark in the edit', '\ufeffa\n', [['\ufeffa', '\ufeffb']], '\ufeffb\n'],
  ['no mark is added', 'a\n', [['a', '\ufeffb']], 'b\n'],

  ['blanks at ends of lines', 'a  \nb\n', [['a\nb', 'x']], 'x\n'],
  ['other indentation', '    if a:\n        b\n', [['if a:\n    b', 'if c:\n    d']], '    if c:\n        d\n'],
  ['other indentation, a line more', '  a\n  b\n', [['a\nb', 'a\nn\nb']], '  a\n  n\n  b\n'],
  ['blanks, but also as it stands', ' a\na\n', [['a\n', 'b\n']], null],

  ['twice', 'a b a\n', [['a', 'x']], null],
  ['on three lines', 'a\nb\na\nc\na\n', [['a', 'x']], null],
  ['twice, overlapping', 'aaa\n', [['aa', 'b']], null],
  ['nowhere', 'a\n', [['b', 'c']], null],
  ['empty', 'a\n', [['', 'b']], null],
  ['the same', 'a\n', [['a', 'a']], null],
  ['two edits of one place', 'a b\n', [['a b', 'x'], ['b', 'y']], null],
  ['an edit of what another one made', 'a\n', [['a', 'bc'], ['bc', 'd']], null],
  ['the second edit nowhere', 'a\n', [['a', 'b'], ['z', 'y']], null],
];
