import Foundation

/// A device token that no other test has; its beginning chooses how the simulated Apple answers.
package func freshToken(_ prefix: String = "ab") -> String {
    let token = prefix + UUID().uuidString.lowercased().replacing("-", with: "")
    // Apple's are whole octets.
    return token.count.isMultiple(of: 2) ? token : token + "0"
}
