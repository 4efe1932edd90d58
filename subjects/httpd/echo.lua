local plain = string.rep("x", 1024)

function answer(r)
    if r.method ~= "GET" and r.method ~= "HEAD" then
        return apache2.DECLINED
    end
    r.content_type = "text/plain; charset=UTF-8"
    local text = r.args and ("&" .. r.args):match("&t=([^&]*)")
    r:write(text and r:unescape(text) or plain)
    return apache2.OK
end
