-- What GitHub makes of our Markdown, for pandoc -f gfm: blocks and spans of mathematics, and links to pages.
-- A formula that pandoc cannot convert is a warning of pandoc, which scripts/site takes for an error.

-- Parentheses are as large as text unless \left and \right ask for more; upright words stand upright in every browser.
local function typeset(tex)
  local texts = {}
  tex = tex:gsub('\\text(%b{})', function(words)
    texts[#texts + 1] = words
    return '\\text' .. '\1' .. #texts .. '\2'
  end)
  tex = tex:gsub('\\mathrm(%b{})', '\\text%1'):gsub('\\mathrel{([+-])}=', '\\;\\text{%1=}\\;')
  -- what a wide tilde covers stands in parentheses: not every font can stretch it
  tex = tex:gsub('\\widetilde(%b{})', function(group) return '\\widetilde{(' .. group:sub(2, -2) .. ')}' end)
  -- \left( becomes \left and a mark, and is a parenthesis again at the end
  tex = tex:gsub('(\\[a-zA-Z]+)([()])', function(macro, parenthesis)
    local sized = macro:match('^\\[lr][ei][fg]h?t$') or macro:match('^\\[bB]igg?[lr]?$')
    return macro .. (sized and (parenthesis == '(' and '\3' or '\4') or parenthesis)
  end)
  tex = tex:gsub('%(', '\\mathopen{(}'):gsub('%)', '\\mathclose{)}'):gsub('\3', '('):gsub('\4', ')')
  return (tex:gsub('\1(%d+)\2', function(k) return texts[tonumber(k)] end))
end

function CodeBlock(block)
  if block.classes[1] == 'math' then
    return pandoc.Para { pandoc.Math('DisplayMath', typeset(block.text)) }
  end
end

-- $`x`$ is text that ends with a dollar, code, and text that begins with one.
function Inlines(list)
  local out = pandoc.List()
  for i, item in ipairs(list) do
    local before, after = list[i - 1], list[i + 1]
    if item.t == 'Code' and before and before.t == 'Str' and before.text:match('%$$') and after and after.t == 'Str' and
        after.text:match('^%$') then
      out[#out].text = out[#out].text:gsub('%$$', '')
      after.text = after.text:gsub('^%$', '', 1)
      out:insert(pandoc.Math('InlineMath', typeset(item.text)))
    else
      out:insert(item)
    end
  end
  return out
end

local root, moving = '', false -- the way to the root of the site; whether it has the moving pages of models

function Meta(meta)
  root = meta.root and pandoc.utils.stringify(meta.root) or ''
  moving = meta.moving and pandoc.utils.stringify(meta.moving) == 'yes'
end

-- Pages of ours are pages of the site; README.md is the index of its folder, and a folder without one has an index too.
-- A model's file has its moving page beside it.
function Link(link)
  local target = link.target
  if target:match('^%a+:') or target:match('^#') then
    return nil
  end
  target = target:gsub('README%.md', 'index.html'):gsub('%.md$', '.html'):gsub('%.md#', '.html#')
  if not target:match('%.[%w#_-]+$') and not target:match('LICENSE$') then
    target = target .. '/index.html'
  end
  link.target = target
  local model = target:match('^([%w_]+)%.lua$')
  if model and moving then
    return { link, pandoc.RawInline('html', (' <a class="moves" href="%sview/%s.html">see it move</a>'):format(root, model)) }
  end
  return link
end

-- A picture of a model leads to its moving page.
local function lead(text, source)
  local model = source:match('view_([%w_]+)%.webp') or source:match('models/([%w_]+)%.webp')
  if moving and model and model ~= 'live' then
    return pandoc.RawInline('html', ('<a href="%sview/%s.html">%s</a>'):format(root, model, text))
  end
end

function RawInline(raw)
  return raw.text:match('^<img ') and lead(raw.text, raw.text) or nil
end

function Image(image)
  return lead(('<img src="%s" alt="%s">'):format(image.src, pandoc.utils.stringify(image.caption)), image.src)
end

return { { Meta = Meta }, { CodeBlock = CodeBlock, Inlines = Inlines }, { Link = Link, RawInline = RawInline, Image = Image } }
