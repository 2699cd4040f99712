@main
struct Relay {
    static func main() {}
}
